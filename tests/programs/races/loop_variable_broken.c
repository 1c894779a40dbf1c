/* All threads get the address of the variable that the loop goes on changing. */
// expect: no-data-race false
#include <pthread.h>

int last;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *arg)
{
    int *p = arg;
    int mine = *p;
    pthread_mutex_lock(&m);
    last = mine;
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void)
{
    pthread_t t[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&t[i], 0, worker, &i);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
