// As in long_jump_in_two_threads.c, but the count is read before the second thread has ended.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int failures;
static _Thread_local jmp_buf recover;

static void fail(int why) {
    pthread_mutex_lock(&lock);
    failures++;
    pthread_mutex_unlock(&lock);
    longjmp(recover, why);
}

static void *run(void *unused) {
    int why = setjmp(recover);
    if (why == 0) {
        fail(2);
        assert(0);
    }
    assert(why == 2);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, run, 0);
    pthread_create(&second, 0, run, 0);
    pthread_join(first, 0);
    assert(failures == 2);
    return 0;
}
