// T-JOIN, safe twin: after the join the write is done.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

int x;

void *writer(void *arg)
{
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, writer, 0);
    pthread_join(a, 0);
    assert(x == 1);
    return 0;
}
