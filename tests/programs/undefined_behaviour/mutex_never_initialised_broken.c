// A mutex on the stack is used without being initialised.
// expect: undefined-behaviour false
#include <pthread.h>

int main(void)
{
    pthread_mutex_t m;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
