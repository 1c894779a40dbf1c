// The counter of race_counter.c, protected by a mutex: every property below is proved.
//
// Each thread adds to the counter twice. Because the lock makes each addition indivisible, the order of the
// threads does not matter and the total is always four.
//
//     threadproof verify examples/locked_counter.c
//
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int counter = 0;

void *increment(void *arg)
{
    for (int round = 0; round < 2; round++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, increment, 0);
    pthread_create(&b, 0, increment, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 4);
    return 0;
}
