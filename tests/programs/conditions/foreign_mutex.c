// Waiting with an error-checking mutex that one does not hold is refused.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

int main(void)
{
    assert(pthread_cond_wait(&cond, &mutex) == EPERM);
    assert(pthread_mutex_unlock(&mutex) == EPERM);
    return 0;
}
