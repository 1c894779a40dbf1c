// Threads print into one buffer under its lock, and each into one of its own.
// expect: no-data-race true
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[16];

static void *print(void *number) {
    char own[16];
    snprintf(own, sizeof own, "%d", *(int *)number);
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "%s", own);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    int one = 1, two = 2;
    pthread_t threads[2];
    pthread_create(&threads[0], 0, print, &one);
    pthread_create(&threads[1], 0, print, &two);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    return text[0] == '1';
}
