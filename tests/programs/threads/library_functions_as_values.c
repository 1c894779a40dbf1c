// Thread functions are values, too: a lock taken through a pointer protects, and a library function can be a start routine.
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*const lock)(pthread_mutex_t *) = pthread_mutex_lock;
static int (*const unlock)(pthread_mutex_t *) = pthread_mutex_unlock;
static int (*spawn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = pthread_create;
static int (*join)(pthread_t, void **) = pthread_join;
static int count;

static void *worker(void *result)
{
    lock(&mutex);
    count++;
    unlock(&mutex);
    return result;
}

int main(void)
{
    pthread_t counting, freeing;
    void *result;
    int *memory = malloc(sizeof *memory);
    spawn(&counting, 0, worker, &count);
    spawn(&freeing, 0, (void *(*)(void *))free, memory);
    worker(0);
    assert(join(counting, &result) == 0 && result == &count);
    join(freeing, 0);
    assert(count == 2);
    return 0;
}
