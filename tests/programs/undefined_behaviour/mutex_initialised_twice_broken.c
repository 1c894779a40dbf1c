// Initialising a mutex that is initialised already is undefined (POSIX, pthread_mutex_init). Here the second call comes from a thread that uses it.
// expect: undefined-behaviour false

#include <pthread.h>

static pthread_mutex_t lock;

static void *worker(void *arg) {
    pthread_mutex_init(&lock, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&lock, 0);
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    return 0;
}
