// Trap: the writer's next step after `x = 1` has no meaning, as it leaves the array. Others see the write before it.
// A verifier that takes both steps as one, and drops executions without meaning, loses the write with them.
// expect: unreach-call false
// expect: no-data-race false
// options: --assume no-undefined-behaviour
#include <assert.h>
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

int x;

void *writer(void *arg)
{
    int mine[2] = {0, 0};
    unsigned i = __VERIFIER_nondet_uint();
    if (i < 2)
        return 0;
    x = 1;
    mine[i] = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    assert(x == 0);
    pthread_join(t, 0);
    return 0;
}
