// Pointers into two blocks have no difference (C11 6.5.6p9), also if another thread has allocated one of them.
// expect: undefined-behaviour false

#include <pthread.h>
#include <stdlib.h>

static char *block;

static void *allocate(void *arg) {
    block = malloc(16);
    return 0;
}

int main(void) {
    pthread_t thread;
    char *mine = malloc(16);
    pthread_create(&thread, 0, allocate, 0);
    pthread_join(thread, 0);
    return block - mine > 16;
}
