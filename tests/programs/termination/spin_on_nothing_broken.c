// Nobody sets the flag.
// expect: termination false
#include <pthread.h>
_Atomic int flag;

void *reader(void *arg)
{
    return flag ? arg : 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, reader, 0);
    while (!flag)
        ;
    pthread_join(t, 0);
    return 0;
}
