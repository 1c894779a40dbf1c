// A mutex that is not robust stays locked when its owner ends.
// expect: unreach-call true
// expect: no-deadlock false
// expect: no-data-race true
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *dies(void *arg)
{
    pthread_mutex_lock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, dies, 0);
    pthread_join(a, 0);
    pthread_mutex_lock(&mutex);
    return 0;
}
