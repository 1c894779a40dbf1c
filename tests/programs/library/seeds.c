// Pseudo-random numbers repeat with the seed; rand_r has no hidden state.
// expect: unreach-call true
// expect: no-data-race true
// explore: unknown
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *unused)
{
    unsigned seed = 1;
    int number = rand_r(&seed);
    assert(number >= 0 && number <= RAND_MAX);
    return unused;
}

int main(void)
{
    srand(7);
    int first = rand();
    srand(7);
    assert(rand() == first);
    unsigned seed = 3, same = 3;
    assert(rand_r(&seed) == rand_r(&same) && seed == same);
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_join(thread, 0);
    return 0;
}
