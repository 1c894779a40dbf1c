/* The creator writes to the object that it has handed to the thread. */
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>

struct job {
    int number;
    int result;
};

static void *worker(void *arg)
{
    struct job *job = arg;
    job->result = job->number + 1;
    return 0;
}

int main(void)
{
    pthread_t id;
    struct job *job = malloc(sizeof *job);
    job->number = 1;
    pthread_create(&id, 0, worker, job);
    job->number = 2;
    return 0;
}
