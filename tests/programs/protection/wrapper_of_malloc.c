/* Threads and main allocate by the same wrapper; what each gets is its own. */
// expect: no-data-race true
// options: --assume no-undefined-behaviour
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int *published;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *allocate(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        abort();
    return memory;
}

static void *worker(void *arg)
{
    (void)arg;
    int *own = allocate(sizeof *own);
    *own = 1;
    *own += 1;
    free(own);
    pthread_mutex_lock(&lock);
    *published += 1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    published = allocate(sizeof *published);
    *published = 0;
    while (__VERIFIER_nondet_bool()) {
        pthread_t id;
        pthread_create(&id, 0, worker, 0);
    }
    return 0;
}
