// pthread_exit in main ends only main's thread: the others go on and their assertions count.
// Broken: worker runs to its assertion after main is gone, x is 1 then.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    assert(x == 0);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_mutex_lock(&mutex);
    pthread_create(&a, 0, worker, 0);
    x = 1;
    pthread_mutex_unlock(&mutex);
    pthread_exit(0);
}
