// What is scanned is written through the argument, without the lock of its readers.
// expect: no-data-race false
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *read_it(void *unused) {
    pthread_mutex_lock(&lock);
    int copy = number;
    pthread_mutex_unlock(&lock);
    return copy == 7 ? unused : 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, read_it, 0);
    sscanf("7", "%d", &number);
    pthread_join(thread, 0);
    return 0;
}
