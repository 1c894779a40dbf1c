/* A recursive mutex counts. */
// expect: no-deadlock true
#include <pthread.h>

pthread_mutex_t m;

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
