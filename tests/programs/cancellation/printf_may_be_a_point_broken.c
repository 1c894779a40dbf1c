// Output may or may not be a cancellation point, so that the next line may be missing.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int reached;

void *worker(void *arg)
{
    printf("hello\n");
    reached = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_cancel(a);
    pthread_join(a, 0);
    assert(reached == 1);
    return 0;
}
