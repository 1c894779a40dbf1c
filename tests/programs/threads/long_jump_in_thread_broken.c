// A jump out of a critical section leaves the lock locked: the next one to lock it waits for ever.
// expect: no-deadlock false
// expect: unreach-call true
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local jmp_buf recover;

static void work(void) {
    pthread_mutex_lock(&lock);
    longjmp(recover, 1);
}

static void *run(void *unused) {
    if (setjmp(recover) == 0)
        work();
    return unused;
}

static void *other(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, run, 0);
    pthread_create(&second, 0, other, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
