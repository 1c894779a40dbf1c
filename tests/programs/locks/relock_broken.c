// A default mutex locked twice by the same thread: it waits for itself.
// expect: no-deadlock false
// expect: unreach-call true
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    return 0;
}
