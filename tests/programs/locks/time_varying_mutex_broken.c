// The time-varying mutex with a deallocator that does not take m_busy.
// Broken: it sees busy==0; the allocator sets busy and block=1; the deallocator writes block=0 before the
// allocator's assertion.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m_inode = PTHREAD_MUTEX_INITIALIZER, m_busy = PTHREAD_MUTEX_INITIALIZER;
int inode, busy, block;

void *allocate(void *arg)
{
    pthread_mutex_lock(&m_inode);
    if (inode == 0) {
        pthread_mutex_lock(&m_busy);
        busy = 1;
        pthread_mutex_unlock(&m_busy);
        inode = 1;
    }
    block = 1;
    assert(block == 1);
    pthread_mutex_unlock(&m_inode);
    return 0;
}

void *release(void *arg)
{
    if (busy == 0)
        block = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, allocate, 0);
    pthread_create(&b, 0, release, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
