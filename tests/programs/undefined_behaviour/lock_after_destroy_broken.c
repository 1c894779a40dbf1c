// A mutex is locked after it was destroyed.
// expect: undefined-behaviour false
#include <pthread.h>

pthread_mutex_t m;

int main(void)
{
    pthread_mutex_init(&m, 0);
    pthread_mutex_destroy(&m);
    pthread_mutex_lock(&m);
    return 0;
}
