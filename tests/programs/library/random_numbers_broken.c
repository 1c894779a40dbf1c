// rand_r writes its seed, which two threads share here; its result is not negative.
// expect: no-data-race false
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static unsigned seed = 1;

static void *draw(void *unused) {
    assert(rand_r(&seed) >= 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, draw, 0);
    draw(0);
    pthread_join(thread, 0);
    return 0;
}
