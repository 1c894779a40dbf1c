// T-CONDWAIT: producer and consumer of one slot that is full at the start, waiting in while loops.
// Safe: each goes on only when its test, made under the mutex, holds; nobody changes num while the other waits to test.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
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
    assert(num == 1);
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&m);
    return 0;
}

void *consumer(void *arg)
{
    pthread_mutex_lock(&m);
    while (num == 0)
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
