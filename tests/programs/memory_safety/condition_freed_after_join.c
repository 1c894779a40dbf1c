/* As in condition_freed_while_signalled_broken.c, but the condition variable is destroyed and freed when the thread has ended. */
// expect: valid-memsafety true
// expect: undefined-behaviour true
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
    pthread_join(thread, NULL);
    pthread_cond_destroy(&gate->opened);
    pthread_mutex_destroy(&gate->lock);
    free(gate);
    return 0;
}
