// Results of threads: by return, by pthread_exit, and by pthread_exit deep in a call.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

int x;

void *by_return(void *arg)
{
    return (void *)((long)arg + 1);
}

void *by_exit(void *arg)
{
    x = 5;
    pthread_exit(&x);
    x = 6;
    return 0;
}

void deep(int depth)
{
    if (depth == 0)
        pthread_exit((void *)7L);
    deep(depth - 1);
    assert(0);
}

void *by_deep_exit(void *arg)
{
    deep(2);
    return 0;
}

int main(void)
{
    pthread_t a, b, c;
    void *result;
    assert(pthread_create(&a, 0, by_return, (void *)41L) == 0);
    assert(pthread_create(&b, 0, by_exit, 0) == 0);
    assert(pthread_create(&c, 0, by_deep_exit, 0) == 0);
    assert(pthread_join(a, &result) == 0);
    assert((long)result == 42);
    assert(pthread_join(b, &result) == 0);
    assert(*(int *)result == 5);
    assert(pthread_join(c, &result) == 0);
    assert((long)result == 7);
    return 0;
}
