// A thread jumps out of nested calls, by a buffer of its own: an error path that leaves a critical section only after unlocking it.
// expect: unreach-call true
// expect: no-data-race true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int failures;
static _Thread_local jmp_buf recover;

static void work(int n) {
    if (n == 2) {
        pthread_mutex_lock(&lock);
        failures++;
        pthread_mutex_unlock(&lock);
        longjmp(recover, n);
    }
    work(n + 1);
}

static void *run(void *unused) {
    int why = setjmp(recover);
    if (why == 0) {
        work(0);
        assert(0);
    }
    assert(why == 2);
    return unused;
}

static void *other(void *unused) {
    pthread_mutex_lock(&lock);
    failures++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, run, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(failures == 2);
    return 0;
}
