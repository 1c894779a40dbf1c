// A lock that is released by the attribute cleanup, on every path; without it the second thread would wait for ever.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void unlock(pthread_mutex_t **m) { pthread_mutex_unlock(*m); }

static int add(int n) {
    pthread_mutex_t *held __attribute__((cleanup(unlock))) = &lock;
    pthread_mutex_lock(held);
    if (n == 0) return count;
    int old = count;
    count = old + n;
    return count;
}

static void *worker(void *arg) {
    (void)arg;
    add(0);
    add(1);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(add(0) == 2);
    return 0;
}
