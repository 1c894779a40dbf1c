/* A constant variable of a function, whose value is known only when it runs, is written by a thread that gets its address. */
// expect: valid-memsafety false
// expect: undefined-behaviour false
#include <pthread.h>

static void *set(void *place) {
    *(int *)place = 1;
    return 0;
}

static int start(int n) {
    const int limit = n;
    pthread_t thread;
    pthread_create(&thread, 0, set, (void *)&limit);
    pthread_join(thread, 0);
    return limit;
}

int main(void) { return start(2); }
