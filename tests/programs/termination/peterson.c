// Peterson's algorithm: nobody waits for ever.
// expect: termination true
#include <pthread.h>
_Atomic int wants[2], turn;

static void critical(int me)
{
    wants[me] = 1;
    turn = 1 - me;
    while (wants[1 - me] && turn == 1 - me)
        ;
    wants[me] = 0;
}

void *worker(void *arg)
{
    critical(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    critical(0);
    pthread_join(t, 0);
    return 0;
}
