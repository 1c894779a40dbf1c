// Return codes of all kinds of mutexes, and the static initialisers of GNU.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
pthread_mutex_t checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

void *other(void *arg)
{
    struct timespec now = {0, 0};
    assert(pthread_mutex_trylock(&normal) == EBUSY);
    assert(pthread_mutex_trylock(&recursive) == EBUSY);
    assert(pthread_mutex_trylock(&checking) == EBUSY);
    assert(pthread_mutex_timedlock(&normal, &now) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&recursive, &now) == ETIMEDOUT);
    assert(pthread_mutex_timedlock(&checking, &now) == ETIMEDOUT);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutex_unlock(&checking) == EPERM);
    return 0;
}

int main(void)
{
    pthread_t a;
    struct timespec now = {0, 0};
    assert(pthread_mutex_lock(&normal) == 0);
    assert(pthread_mutex_trylock(&normal) == EBUSY);
    assert(pthread_mutex_timedlock(&normal, &now) == ETIMEDOUT);
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_trylock(&recursive) == 0);
    assert(pthread_mutex_timedlock(&recursive, &now) == 0);
    assert(pthread_mutex_lock(&checking) == 0);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    assert(pthread_mutex_trylock(&checking) == EBUSY);
    assert(pthread_mutex_timedlock(&checking, &now) == EDEADLK);
    pthread_create(&a, 0, other, 0);
    pthread_join(a, 0);
    assert(pthread_mutex_destroy(&normal) == EBUSY);
    assert(pthread_mutex_unlock(&normal) == 0);
    assert(pthread_mutex_destroy(&normal) == 0);
    for (int i = 0; i < 4; i++)
        assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    assert(pthread_mutex_unlock(&checking) == 0);
    assert(pthread_mutex_unlock(&checking) == EPERM);
    return 0;
}
