// Ends because the other thread, which is able to move, does move.
// expect: termination true
#include <pthread.h>
_Atomic int flag;

void *setter(void *arg)
{
    flag = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, setter, 0);
    while (!flag)
        ;
    pthread_join(t, 0);
    return 0;
}
