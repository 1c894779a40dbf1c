// An undefined function may write several values while it is called, and another thread may see each of them.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

void count(atomic_int *counter);

static atomic_int counter;

static void *run(void *unused)
{
    count(&counter);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    int first = counter, second = counter, third = counter;
    assert(first == second || second == third || first == third);
    pthread_join(thread, NULL);
    return 0;
}
