// The joiner expects the thread's argument, but the thread returns its successor.
// expect: unreach-call false
// expect: no-deadlock true
// expect: termination true
#include <assert.h>
#include <pthread.h>

void *successor(void *arg)
{
    return (void *)((long)arg + 1);
}

int main(void)
{
    pthread_t a;
    void *result;
    pthread_create(&a, 0, successor, (void *)41L);
    pthread_join(a, &result);
    assert((long)result == 41);
    return 0;
}
