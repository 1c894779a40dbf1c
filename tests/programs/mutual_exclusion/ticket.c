// A ticket lock: an atomic fetch-and-add hands out numbers, the lock serves them in order.
// Safe: numbers are unique; the served counter orders the critical sections, so the plain counter does not race.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int next_ticket, now_serving;
int count;

void *visit(void *arg)
{
    int mine = atomic_fetch_add(&next_ticket, 1);
    while (atomic_load(&now_serving) != mine)
        ;
    count = count + 1;
    atomic_fetch_add(&now_serving, 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
