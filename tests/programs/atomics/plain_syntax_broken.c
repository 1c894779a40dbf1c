// Operators on _Atomic objects are atomic read-modify-writes: ++ and += lose nothing, but x = x + 1 does.
// Broken: in the third cell both threads read 0 and write 1.
// expect: unreach-call false
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

_Atomic int a, b, c;

void *work(void *arg)
{
    a++;
    b += 2;
    c = c + 1;
    return 0;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(c == 2);
    return 0;
}
