/* What the threads read was written before the first of them was created. */
// expect: no-data-race true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct options {
    int verbose;
    int level;
};

static struct options *options;

static void read_options(void)
{
    options = malloc(sizeof *options);
    options->verbose = __VERIFIER_nondet_bool();
    options->level = 3;
}

static void *worker(void *arg)
{
    (void)arg;
    return options->verbose ? &options->level : 0;
}

int main(void)
{
    read_options();
    while (__VERIFIER_nondet_bool()) {
        pthread_t id;
        pthread_create(&id, 0, worker, 0);
    }
    return options->level;
}
