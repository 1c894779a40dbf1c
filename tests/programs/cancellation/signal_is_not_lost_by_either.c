// A signal is not consumed by a waiter that is cancelled: the other one gets it. Both keep a cleanup buffer in a frame of the same function.
// expect: no-deadlock true
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int n_items;

static void unlock(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&mutex);
}


static void *cancelled(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, 0);
    while (n_items == 0)
        pthread_cond_wait(&condition, &mutex);
    n_items--;
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, cancelled, 0);
    pthread_create(&second, 0, cancelled, 0);
    pthread_cancel(first);
    pthread_join(first, 0);
    pthread_mutex_lock(&mutex);
    n_items++;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(second, 0);
    return 0;
}
