// T-LOCKALIAS, safe twin: both threads get the same struct.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

struct guarded {
    pthread_mutex_t m;
};

struct guarded one;
int x;

void *add(void *arg)
{
    struct guarded *p = arg;
    pthread_mutex_lock(&p->m);
    x++;
    pthread_mutex_unlock(&p->m);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutex_init(&one.m, 0);
    pthread_create(&a, 0, add, &one);
    pthread_create(&b, 0, add, &one);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
