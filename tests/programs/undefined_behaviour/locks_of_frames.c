// Locks in frames are initialised once in each life: in each iteration, in each call, and again after they were destroyed.
//
// expect: undefined-behaviour true
// expect: valid-memsafety true
#include <pthread.h>
#include <semaphore.h>

static int once(void) {
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        sem_t semaphore;
        sem_init(&semaphore, 0, 1);
        sem_wait(&semaphore);
    }
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, 0);
    pthread_rwlock_destroy(&lock);
    pthread_rwlock_init(&lock, 0);
    return once() + once();
}
