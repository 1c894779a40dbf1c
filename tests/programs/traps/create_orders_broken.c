// T-CREATEHI: a thread writes x and then creates the reader, which therefore depends on the creation.
// Broken on every execution: the reader sees 1.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

int x;

void *reader(void *arg)
{
    assert(x == 0);
    return 0;
}

void *creator(void *arg)
{
    pthread_t child;
    x = 1;
    pthread_create(&child, 0, reader, 0);
    pthread_join(child, 0);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, creator, 0);
    pthread_join(a, 0);
    return 0;
}
