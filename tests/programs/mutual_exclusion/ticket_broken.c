// A ticket lock whose number is drawn by an atomic load and an atomic store, not by one operation.
// Broken: both threads load 0 and hold ticket 0, so both are served at once and one increment of count is lost.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int next_ticket, now_serving;
int count;

void *visit(void *arg)
{
    int mine = atomic_load(&next_ticket);
    atomic_store(&next_ticket, mine + 1);
    while (atomic_load(&now_serving) < mine)
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
