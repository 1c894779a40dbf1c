// The work-stealing deque whose owner takes without the lock "because only it moves the bottom".
// Broken: with one task left the owner sees top<bottom, the thief steals the task, the owner takes it again.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int top = 0, bottom = 1;
atomic_int done;

void *owner(void *arg)
{
    if (top < bottom) {
        bottom--;
        atomic_fetch_add(&done, 1);
    }
    return 0;
}

void *thief(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (top < bottom) {
        top++;
        atomic_fetch_add(&done, 1);
    }
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, thief, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(done == 1);
    return 0;
}
