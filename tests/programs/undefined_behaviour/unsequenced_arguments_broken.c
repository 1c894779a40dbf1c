// Arguments of a call are evaluated in no order, here of a global variable in a thread.
// expect: undefined-behaviour false

#include <pthread.h>

static int next;

static int sum(int a, int b) { return a + b; }

static void *worker(void *arg) {
    sum(next, next++);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
