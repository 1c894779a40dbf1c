// Two names of one object: the accesses race although the names differ.
// expect: no-data-race false
#include <pthread.h>

int object;
extern int same __attribute__((alias("object")));

static void *worker(void *arg) {
    (void)arg;
    same = 1;
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    object = 2;
    pthread_join(t, 0);
    return 0;
}
