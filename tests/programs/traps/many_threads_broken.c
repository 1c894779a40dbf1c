// T-TOOMANYTHREADS: seven threads from a loop, the last one fails. The answer may be unknown, never true.
// Broken: thread 6 runs.
// expect: unreach-call false
// expect: no-deadlock true
// expect: termination true
// explore: unknown
#include <assert.h>
#include <pthread.h>

void *check(void *arg)
{
    assert((long)arg != 6);
    return 0;
}

int main(void)
{
    pthread_t handle[7];
    for (long i = 0; i < 7; i++)
        pthread_create(&handle[i], 0, check, (void *)i);
    for (int i = 0; i < 7; i++)
        pthread_join(handle[i], 0);
    return 0;
}
