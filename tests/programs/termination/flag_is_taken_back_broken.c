// The flag is set only for a while, and main may miss it.
// expect: termination false
#include <pthread.h>
_Atomic int flag;

void *setter(void *arg)
{
    flag = 1;
    flag = 0;
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
