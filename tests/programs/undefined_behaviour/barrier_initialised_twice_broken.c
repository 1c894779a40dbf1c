// Initialising a barrier that is initialised already is undefined (POSIX, pthread_barrier_init).
// expect: undefined-behaviour false

#include <pthread.h>

static pthread_barrier_t barrier;

int main(void) {
    pthread_barrier_init(&barrier, 0, 1);
    pthread_barrier_wait(&barrier);
    pthread_barrier_init(&barrier, 0, 2);
    return 0;
}
