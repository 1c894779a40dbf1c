// A time whose nanoseconds are a second or more is no deadline; a mutex that is free is taken all the same.
// expect: unreach-call true
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t files = PTHREAD_RWLOCK_INITIALIZER;
sem_t semaphore;
int n;

static struct timespec *counted(struct timespec *time) {
    n++;
    return time;
}

int main(void) {
    struct timespec past = {0, 0}, none = {0, 1000000000}, negative = {5, -1};
    assert(pthread_mutex_timedlock(&lock, &none) == 0);
    assert(pthread_mutex_timedlock(&lock, &none) == EINVAL);
    assert(pthread_mutex_timedlock(&lock, &past) == ETIMEDOUT);
    assert(pthread_cond_timedwait(&cond, &lock, counted(&negative)) == EINVAL && n == 1);
    int result = pthread_cond_timedwait(&cond, &lock, &past);
    assert(result == 0 || result == ETIMEDOUT);
    assert(pthread_rwlock_timedwrlock(&files, &none) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&files, &past) == 0);
    sem_init(&semaphore, 0, 1);
    assert(sem_timedwait(&semaphore, &none) == -1 && errno == EINVAL);
    assert(sem_timedwait(&semaphore, &past) == 0);
    return 0;
}
