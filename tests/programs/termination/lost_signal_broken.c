// The consumer waits without looking whether it has to: the signal may have come before.
// expect: termination false
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t empty = PTHREAD_COND_INITIALIZER, full = PTHREAD_COND_INITIALIZER;
int num;

void *producer(void *arg)
{
    pthread_mutex_lock(&m);
    while (num > 0)
        pthread_cond_wait(&empty, &m);
    num++;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&full);
    return arg;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    if (1)
        pthread_cond_wait(&full, &m);
    num--;
    pthread_mutex_unlock(&m);
    pthread_cond_signal(&empty);
    return arg;
}

int main(void)
{
    pthread_t p, c;
    num = 1;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    return 0;
}
