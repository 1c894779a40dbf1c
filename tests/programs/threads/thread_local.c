// __thread and _Thread_local: each thread counts in its own copy, which starts from the initialiser.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

__thread int own = 10;
static _Thread_local int zero;

void *count(void *arg)
{
    assert(own == 10 && zero == 0);
    own++;
    zero--;
    assert(own == 11 && zero == -1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    own = 20;
    pthread_create(&a, 0, count, 0);
    pthread_create(&b, 0, count, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(own == 20 && zero == 0);
    return 0;
}
