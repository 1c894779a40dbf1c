// A reusable barrier from a mutex, a condition and a generation number; two threads, two rounds.
// Safe: a thread leaves only when the generation moved on, which the last arrival does.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
int arrived, generation;
int cell[2];

void barrier_wait(void)
{
    pthread_mutex_lock(&mutex);
    int mine = generation;
    arrived++;
    if (arrived == 2) {
        arrived = 0;
        generation++;
        pthread_cond_broadcast(&turned);
    } else {
        while (generation == mine)
            pthread_cond_wait(&turned, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

void *work(void *arg)
{
    long me = (long)arg;
    for (int round = 1; round <= 2; round++) {
        cell[me] = round;
        barrier_wait();
        assert(cell[1 - me] == round);
        barrier_wait();
    }
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
