// The third thread never comes.
// expect: termination false
#include <pthread.h>
pthread_barrier_t barrier;

void *worker(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&t, 0, worker, 0);
    pthread_barrier_wait(&barrier);
    pthread_join(t, 0);
    return 0;
}
