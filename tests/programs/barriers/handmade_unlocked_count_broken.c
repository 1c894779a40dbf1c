// A hand-made barrier that counts arrivals outside its mutex.
// Deadlocks: both threads read arrived==0 and write 1; the count never reaches 2 and both wait.
// expect: no-deadlock false
// expect: unreach-call true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t complete = PTHREAD_COND_INITIALIZER;
int arrived;
int cell[2];

void *work(void *arg)
{
    long me = (long)arg;
    cell[me] = 1;
    arrived++;
    pthread_mutex_lock(&mutex);
    if (arrived == 2)
        pthread_cond_broadcast(&complete);
    while (arrived != 2)
        pthread_cond_wait(&complete, &mutex);
    pthread_mutex_unlock(&mutex);
    assert(cell[1 - me] == 1);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, (void *)0L);
    pthread_create(&b, 0, work, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
