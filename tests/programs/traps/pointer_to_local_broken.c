// T-PTRLOCAL: a local of main becomes shared when its address is given to a thread.
// Broken: the thread writes before main looks.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
// expect: termination true
#include <assert.h>
#include <pthread.h>

void *write(void *arg)
{
    int *p = arg;
    *p = 1;
    return 0;
}

int main(void)
{
    int x = 0;
    pthread_t a;
    pthread_create(&a, 0, write, &x);
    assert(x == 0);
    pthread_join(a, 0);
    return 0;
}
