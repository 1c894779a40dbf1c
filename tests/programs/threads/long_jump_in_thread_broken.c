// A jump out of a critical section leaves the lock locked: the next one to lock it waits for ever.
// expect: no-deadlock false
// expect: unreach-call true
#include <pthread.h>
#include <setjmp.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local jmp_buf recover;

static void work(int fail) {
    pthread_mutex_lock(&lock);
    if (fail)
        longjmp(recover, 1);
    pthread_mutex_unlock(&lock);
}

static void *run(void *fail) {
    if (setjmp(recover) == 0)
        work(fail != 0);
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, run, &first);
    pthread_create(&second, 0, run, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
