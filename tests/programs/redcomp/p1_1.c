// Program P1-1 of the RedComp paper (Popeea, Rybalchenko, Wilhelm, FMCAD 2014).
// Safe: x ends as 9 (first before second) or 13; 11 would need second in the middle of first's section.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
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
    pthread_mutex_lock(&mx);
    x = x + 2;
    pthread_mutex_unlock(&mx);
    return 0;
}

void *third(void *arg)
{
    pthread_mutex_lock(&my);
    y = y + 2;
    pthread_mutex_unlock(&my);
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
