// T-CONDWAIT with `if`: a spurious wake-up is enough.
// Broken: the producer waits because num == 1, wakes up without a signal, and makes num 2.
// expect: unreach-call false
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
int num;

void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    if (num > 0)
        pthread_cond_wait(&empty, &m);
    num++;
    assert(num == 1);
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&m);
    return 0;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    if (num == 0)
        pthread_cond_wait(&full, &m);
    num--;
    assert(num == 0);
    pthread_cond_signal(&empty);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    num = 1;
    pthread_create(&a, 0, producer, 0);
    pthread_create(&b, 0, consumer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
