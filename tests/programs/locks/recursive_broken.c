// A recursive mutex unlocked once too few: the second thread waits for ever.
// Deadlocks: main holds the mutex with depth 1 while it joins the thread that wants it.
// expect: no-deadlock false
// expect: unreach-call true
#include <pthread.h>

pthread_mutex_t mutex;

void *visit(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_create(&a, 0, visit, 0);
    pthread_join(a, 0);
    return 0;
}
