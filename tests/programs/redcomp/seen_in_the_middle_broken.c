// Trap: `x = 2` follows `x = 1` at once for whoever counts only threads that go on afterwards. But the reader's check between the two
// ends the program with an error, and `x = 2` would have prevented it: so the second write is no left-mover.
// expect: unreach-call false
// expect: no-data-race false
#include <pthread.h>

extern void reach_error(void);
extern void abort(void);
int x, y;

void __VERIFIER_atomic_check(void)
{
    if (x == 1)
        reach_error();
}

void *writer(void *arg)
{
    y = 1;
    x = 1;
    x = 2;
    return 0;
}

void *reader(void *arg)
{
    y = 2;
    __VERIFIER_atomic_check();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
