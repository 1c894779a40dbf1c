// Operators on _Atomic objects are atomic read-modify-writes: ++ and += lose nothing.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int a, b;

void *work(void *arg)
{
    a++;
    b += 2;
    return 0;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a == 2 && b == 4);
    return 0;
}
