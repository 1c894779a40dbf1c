// Polling under a lock ends under strong fairness: the setter can have the lock again and again.
// expect: termination true
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int done;

void *setter(void *arg)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    int seen = 0;
    pthread_create(&t, 0, setter, 0);
    while (!seen) {
        pthread_mutex_lock(&m);
        seen = done;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    return 0;
}
