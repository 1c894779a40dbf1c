// A thread of the asynchronous type is cancelled while it holds a mutex, which stays locked.
// expect: no-deadlock false
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *victim(void *unused)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, victim, 0);
    pthread_cancel(thread);
    pthread_join(thread, 0);
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
    return 0;
}
