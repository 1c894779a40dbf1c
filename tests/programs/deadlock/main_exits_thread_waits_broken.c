/* Main ends by pthread_exit: the program goes on, with a thread that waits for ever. */
// expect: no-deadlock false
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
    pthread_exit(0);
}
