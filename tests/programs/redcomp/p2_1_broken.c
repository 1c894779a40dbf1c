// Program P2-1 of the RedComp paper whose second thread does not take mx.
// Broken: first copies x == 2, second adds 2, first computes 2*4+3 = 11.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER, my = PTHREAD_MUTEX_INITIALIZER;
int x = 2, y = 2;

void *first(void *arg)
{
    pthread_mutex_lock(&mx);
    int a = x;
    pthread_mutex_lock(&my);
    y = y + a;
    pthread_mutex_unlock(&my);
    a = a + 1;
    pthread_mutex_lock(&my);
    y = y + a;
    pthread_mutex_unlock(&my);
    x = 2 * x + a;
    pthread_mutex_unlock(&mx);
    return 0;
}

void *second(void *arg)
{
    x = x + 2;
    return 0;
}

void *third(void *arg)
{
    pthread_mutex_lock(&my);
    y = y + 2;
    pthread_mutex_unlock(&my);
    y = y + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(x != 11);
    return 0;
}
