// Two requests: one for the joiner, which then does not join.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

sem_t go;
pthread_t slow;
int joined;

void *wait_for_go(void *arg)
{
    sem_wait(&go);
    return 0;
}

void *join_slow(void *arg)
{
    pthread_join(slow, 0);
    joined = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    sem_init(&go, 0, 0);
    pthread_create(&slow, 0, wait_for_go, 0);
    pthread_create(&a, 0, join_slow, 0);
    pthread_cancel(a);
    sem_post(&go);
    pthread_join(a, 0);
    assert(joined);
    return 0;
}
