// Two different locks, taken through pointers to the locking functions, do not protect.
// expect: no-data-race false
#include <pthread.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static int (*lock)(pthread_mutex_t *) = pthread_mutex_lock, (*unlock)(pthread_mutex_t *) = pthread_mutex_unlock;
static int count;

static void *worker(void *unused)
{
    lock(&other);
    count++;
    unlock(&other);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    lock(&one);
    count++;
    unlock(&one);
    pthread_join(thread, 0);
    return 0;
}
