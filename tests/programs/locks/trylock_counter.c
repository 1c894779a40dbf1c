// Two threads that count only if trylock succeeds, and note when it did.
// Safe: the counter equals the number of successes.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;
int success[2];

void *visit(void *arg)
{
    long me = (long)arg;
    if (pthread_mutex_trylock(&mutex) == 0) {
        count++;
        success[me] = 1;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, visit, (void *)0);
    pthread_create(&b, 0, visit, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == success[0] + success[1]);
    assert(count >= 1);
    return 0;
}
