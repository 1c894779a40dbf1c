// An error-checking mutex says that it is not held; that is no undefined behaviour.
// expect: undefined-behaviour true
// expect: unreach-call true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

pthread_mutex_t m;

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &kind);
    assert(pthread_mutex_unlock(&m) == EPERM);
    return 0;
}
