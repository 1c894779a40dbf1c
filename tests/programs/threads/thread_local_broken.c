// A thread-local variable whose address is handed to another thread is shared after all.
// Broken: the worker writes main's copy; main then reads 5.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

_Thread_local int own;

void *poke(void *arg)
{
    *(int *)arg = 5;
    assert(own == 0);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, poke, &own);
    pthread_join(a, 0);
    assert(own == 0);
    return 0;
}
