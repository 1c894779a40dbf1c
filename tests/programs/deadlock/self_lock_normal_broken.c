/* A normal mutex that one holds blocks for ever. */
// expect: no-deadlock false
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    return 0;
}
