// What an undefined function is given under a lock, it accesses under the lock, and what only one thread gives it, in that thread.
// expect: no-data-race true
// expect: no-deadlock true
// explore: unknown
#include <pthread.h>

void count(int *counter, int *own);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter, mine;

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
    count(&counter, NULL);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    mine = 1;
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    count(&counter, &mine);
    return mine;
}
