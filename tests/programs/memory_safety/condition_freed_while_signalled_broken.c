/* The thread signals after it has unlocked; the main thread may see `done` without waiting, and free the condition variable before the signal. */
// expect: valid-memsafety false
// expect: undefined-behaviour false
#include <pthread.h>
#include <stdlib.h>

struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int done;
};

static void *worker(void *argument) {
    struct gate *gate = argument;
    pthread_mutex_lock(&gate->lock);
    gate->done = 1;
    pthread_mutex_unlock(&gate->lock);
    pthread_cond_signal(&gate->opened);
    return NULL;
}

int main(void) {
    struct gate *gate = malloc(sizeof *gate);
    pthread_t thread;
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->opened, NULL);
    gate->done = 0;
    pthread_create(&thread, NULL, worker, gate);
    pthread_mutex_lock(&gate->lock);
    while (!gate->done) pthread_cond_wait(&gate->opened, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
    free(gate);
    pthread_join(thread, NULL);
    return 0;
}
