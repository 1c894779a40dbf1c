/* One option is written after the first thread was created. */
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>

struct options {
    int verbose;
    int level;
};

static struct options *options;

static void *worker(void *arg)
{
    (void)arg;
    return options->verbose ? &options->level : 0;
}

int main(void)
{
    pthread_t id;
    options = malloc(sizeof *options);
    options->level = 3;
    options->verbose = 0;
    pthread_create(&id, 0, worker, 0);
    options->verbose = 1;
    return 0;
}
