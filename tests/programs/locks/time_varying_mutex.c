// The time-varying mutex of Flanagan, Freund and Qadeer: `block` is protected by m_inode while an inode uses it
// and by m_busy while it is free.
// Safe: the deallocator writes only while busy==0 under m_busy, that is before the allocator set busy.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
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
    pthread_mutex_lock(&m_busy);
    if (busy == 0) {
        block = 0;
        assert(block == 0);
    }
    pthread_mutex_unlock(&m_busy);
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
