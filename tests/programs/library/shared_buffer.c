// Formatting into a shared buffer writes it: without the lock two threads would mix their texts.
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char buffer[8];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *print(void *text) {
    pthread_mutex_lock(&lock);
    snprintf(buffer, sizeof buffer, "%s", (char *)text);
    assert(strcmp(buffer, text) == 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, print, "ab");
    print("c");
    pthread_join(thread, 0);
    return 0;
}
