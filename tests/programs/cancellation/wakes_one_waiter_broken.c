// A request wakes the thread that it is for, and no other waiter of the condition variable: that one waits for ever.
// expect: no-deadlock false
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void unlock(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

static void *waiter(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, 0);
    pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, waiter, 0);
    pthread_create(&second, 0, waiter, 0);
    pthread_cancel(first);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
