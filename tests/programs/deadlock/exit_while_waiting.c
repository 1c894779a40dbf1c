/* Main returns while a thread waits for ever: the program ends. */
// expect: no-deadlock true
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    return 0;
}
