// A thread that runs a nested function of main uses main's variables.
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

int main(void) {
    int n = 0;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    void *worker(void *unused) {
        pthread_mutex_lock(&lock);
        n++;
        pthread_mutex_unlock(&lock);
        return unused;
    }
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
