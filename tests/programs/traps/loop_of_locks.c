// T-LOOPLOCK, safe twin: second takes the outer lock too, so it sees all rounds or none.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mx = PTHREAD_MUTEX_INITIALIZER, my = PTHREAD_MUTEX_INITIALIZER;
int y;

void *first(void *arg)
{
    pthread_mutex_lock(&mx);
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&my);
        y++;
        pthread_mutex_unlock(&my);
    }
    pthread_mutex_unlock(&mx);
    return 0;
}

void *second(void *arg)
{
    pthread_mutex_lock(&mx);
    pthread_mutex_lock(&my);
    int seen = y;
    pthread_mutex_unlock(&my);
    pthread_mutex_unlock(&mx);
    assert(seen != 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
