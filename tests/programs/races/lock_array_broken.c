/* Cell 0 is once protected by lock 1. */
// expect: no-data-race false
#include <pthread.h>

pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
int cells[2];

void increment(int i, int lock)
{
    pthread_mutex_lock(&locks[lock]);
    cells[i]++;
    pthread_mutex_unlock(&locks[lock]);
}

void *first(void *arg)
{
    (void)arg;
    increment(0, 0);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    increment(0, 1);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
