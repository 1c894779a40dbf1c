// T-LOCKALIAS: both threads write "p->m", but their p differ: the locks are not the same.
// Broken: both read x == 0, both write 1.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

struct guarded {
    pthread_mutex_t m;
};

struct guarded one, two;
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
    pthread_mutex_init(&two.m, 0);
    pthread_create(&a, 0, add, &one);
    pthread_create(&b, 0, add, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
