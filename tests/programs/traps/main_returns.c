// T-MAINEXIT, safe twin: the thread waits for a mutex that main holds until it returns; after that nothing runs.
// No deadlock either: main ends the program.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *late(void *arg)
{
    pthread_mutex_lock(&m);
    assert(0);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutex_lock(&m);
    pthread_create(&a, 0, late, 0);
    return 0;
}
