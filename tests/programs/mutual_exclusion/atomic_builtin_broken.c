// A spinlock on GCC's __atomic builtins that is released before the last write of the critical section.
// Broken: A loads count==0, releases; B does its whole visit (count=3); A stores 3.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int busy, count;

void *visit(void *arg)
{
    int zero = 0;
    while (!__atomic_compare_exchange_n(&busy, &zero, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        zero = 0;
    int seen = count;
    __atomic_store_n(&busy, 0, __ATOMIC_SEQ_CST);
    count = seen + 3;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 6);
    return 0;
}
