// Each gives way as long as the other one wants something; if both do, they may do so for ever, in
// step.
// expect: termination false
#include <pthread.h>
_Atomic int wants[2];

static void enter(int me)
{
    wants[me] = 1;
    while (wants[1 - me]) {
        wants[me] = 0;
        wants[me] = 1;
    }
    wants[me] = 0;
}

void *worker(void *arg)
{
    enter(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    enter(0);
    pthread_join(t, 0);
    return 0;
}
