// What was destroyed may be initialised again: a mutex, a readers-writer lock and a condition variable.
// expect: undefined-behaviour true

#include <pthread.h>

static pthread_mutex_t mutex;
static pthread_rwlock_t lock;
static pthread_cond_t cond;

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_init(&mutex, 0);
        pthread_rwlock_init(&lock, 0);
        pthread_cond_init(&cond, 0);
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        pthread_cond_destroy(&cond);
        pthread_rwlock_destroy(&lock);
        pthread_mutex_destroy(&mutex);
    }
    return 0;
}
