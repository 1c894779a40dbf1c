/* Each thread gets an object of its own, uses it and frees it; any number of threads. */
// expect: no-data-race true
// options: --assume no-undefined-behaviour
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct job {
    int number;
    int result;
};

static void *worker(void *arg)
{
    struct job *job = arg;
    job->result = job->number + 1;
    free(job);
    return 0;
}

static void start(int number)
{
    pthread_t id;
    struct job *job = malloc(sizeof *job);
    job->number = number;
    pthread_create(&id, 0, worker, job);
}

int main(void)
{
    int i = 0;
    while (__VERIFIER_nondet_bool())
        start(i++ & 7);
    return 0;
}
