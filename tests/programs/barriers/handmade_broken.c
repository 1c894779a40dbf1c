// A hand-made barrier for one use whose second use is missing: the threads go into round 2 without waiting.
// Broken: A passes the barrier after round 1, starts round 2 and writes cell[0]=2 before B reads it.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t complete = PTHREAD_COND_INITIALIZER;
int arrived;
int cell[2];

void barrier_wait(void)
{
    pthread_mutex_lock(&mutex);
    arrived++;
    if (arrived == 2)
        pthread_cond_broadcast(&complete);
    while (arrived < 2)
        pthread_cond_wait(&complete, &mutex);
    pthread_mutex_unlock(&mutex);
}

void *work(void *arg)
{
    long me = (long)arg;
    cell[me] = 1;
    barrier_wait();
    assert(cell[1 - me] == 1);
    cell[me] = 2;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0L);
    pthread_create(&b, 0, work, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
