// A test-and-set spinlock on C11's atomic_flag, two rounds by each thread.
// Safe: only the thread that turned the flag from clear to set is inside.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_flag busy = ATOMIC_FLAG_INIT;
int count;

void *visit(void *arg)
{
    for (int round = 0; round < 2; round++) {
        while (atomic_flag_test_and_set(&busy))
            ;
        count++;
        atomic_flag_clear(&busy);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 4);
    return 0;
}
