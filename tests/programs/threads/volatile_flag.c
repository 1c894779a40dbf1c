// Message passing through a volatile flag: right under sequential consistency, a data race in C.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

volatile int ready;
int message;

void *sender(void *arg)
{
    message = 42;
    ready = 1;
    return 0;
}

void *receiver(void *arg)
{
    while (!ready)
        ;
    assert(message == 42);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, receiver, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
