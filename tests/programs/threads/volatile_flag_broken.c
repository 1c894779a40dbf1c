// Message passing with the writes in the wrong order.
// Broken: the receiver sees the flag before the message is written.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

volatile int ready;
int message;

void *sender(void *arg)
{
    ready = 1;
    message = 42;
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
