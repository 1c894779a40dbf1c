// atomic_fetch_add: no increment is lost, and the two threads get different old values.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int count;
int got[2];

void *draw(void *arg)
{
    got[(long)arg] = atomic_fetch_add(&count, 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, draw, (void *)0L);
    pthread_create(&b, 0, draw, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    assert(got[0] + got[1] == 1);
    return 0;
}
