// The argument of a thread is a structure of which one member was never set.
// expect: undefined-behaviour false

#include <pthread.h>
#include <stdlib.h>

struct task { int kind, limit; };

static void *worker(void *arg) {
    struct task *task = arg;
    if (task->limit > 3)
        task->kind = 0;
    return 0;
}

int main(void) {
    pthread_t thread;
    struct task *task = malloc(sizeof *task);
    if (!task)
        return 0;
    task->kind = 1;
    pthread_create(&thread, 0, worker, task);
    pthread_join(thread, 0);
    free(task);
    return 0;
}
