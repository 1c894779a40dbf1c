// rand_r has no hidden state.
// expect: no-data-race true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>

static void *worker(void *unused)
{
    unsigned seed = 1;
    int number = rand_r(&seed);
    return number < 0 ? 0 : unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_join(thread, 0);
    return 0;
}
