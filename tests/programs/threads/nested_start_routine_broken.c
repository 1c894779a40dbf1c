// A nested function of main runs in two threads without a lock.
// expect: no-data-race false
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>

int main(void) {
    int n = 0;
    void *worker(void *unused) {
        n++;
        return unused;
    }
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    assert(n == 2);
    return 0;
}
