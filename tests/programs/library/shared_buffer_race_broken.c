// As shared_buffer.c, but without the lock.
// expect: no-data-race false
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char buffer[8];

static void *print(void *text) {
    snprintf(buffer, sizeof buffer, "%s", (char *)text);
    assert(strcmp(buffer, text) == 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, print, "a");
    print("b");
    pthread_join(thread, 0);
    return 0;
}
