/* One signal wakes only one of two waiters. */
// expect: no-deadlock false
#include <pthread.h>

int ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *second(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, second, 0);
    pthread_create(&t, 0, second, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
