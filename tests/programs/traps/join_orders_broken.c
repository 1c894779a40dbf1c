// T-JOIN: main (the lowest thread) joins the writer and then reads; join depends on the writer's last step.
// Broken on every execution: x is 1 after the join.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

int x;

void *writer(void *arg)
{
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, writer, 0);
    pthread_join(a, 0);
    assert(x == 0);
    return 0;
}
