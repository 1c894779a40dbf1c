// A recursive mutex: its owner may lock it again, and it is free after as many unlocks.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex;
int count;

void add_one(void)
{
    assert(pthread_mutex_lock(&mutex) == 0);
    count++;
    assert(pthread_mutex_unlock(&mutex) == 0);
}

void *add_two(void *arg)
{
    pthread_mutex_lock(&mutex);
    int before = count;
    add_one();
    add_one();
    assert(count == before + 2);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&a, 0, add_two, 0);
    pthread_create(&b, 0, add_two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 4);
    pthread_mutex_destroy(&mutex);
    return 0;
}
