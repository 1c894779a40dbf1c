// Two threads increment a shared counter without any synchronisation.
//
// `counter++` is a read, an addition and a write. If both threads read 0 before either writes, both write 1:
// one increment is lost and the assertion at the end fails.
//
//     threadproof verify examples/race_counter.c
//     threadproof verify examples/race_counter.c --property no-data-race
//
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

int counter = 0;

void *increment(void *arg)
{
    counter++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, increment, 0);
    pthread_create(&b, 0, increment, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
