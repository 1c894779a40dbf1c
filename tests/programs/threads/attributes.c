// What is set in attributes can be read again; invalid values are refused.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

int main(void)
{
    pthread_attr_t a;
    pthread_mutexattr_t m;
    pthread_condattr_t c;
    pthread_rwlockattr_t r;
    pthread_barrierattr_t b;
    struct sched_param p = {0};
    clockid_t clock;
    size_t size;
    int value;
    assert(pthread_attr_init(&a) == 0);
    assert(pthread_attr_getdetachstate(&a, &value) == 0 && value == PTHREAD_CREATE_JOINABLE);
    assert(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED) == 0);
    assert(pthread_attr_getdetachstate(&a, &value) == 0 && value == PTHREAD_CREATE_DETACHED);
    assert(pthread_attr_setdetachstate(&a, 7) == EINVAL);
    assert(pthread_attr_setstacksize(&a, 1) == EINVAL);
    assert(pthread_attr_setstacksize(&a, 1 << 20) == 0);
    assert(pthread_attr_getstacksize(&a, &size) == 0 && size == 1 << 20);
    assert(pthread_attr_setguardsize(&a, 8192) == 0);
    assert(pthread_attr_getguardsize(&a, &size) == 0 && size == 8192);
    assert(pthread_attr_getscope(&a, &value) == 0 && value == PTHREAD_SCOPE_SYSTEM);
    assert(pthread_attr_setscope(&a, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
    assert(pthread_attr_setinheritsched(&a, PTHREAD_EXPLICIT_SCHED) == 0);
    assert(pthread_attr_getinheritsched(&a, &value) == 0 && value == PTHREAD_EXPLICIT_SCHED);
    assert(pthread_attr_setschedpolicy(&a, SCHED_RR) == 0);
    assert(pthread_attr_getschedpolicy(&a, &value) == 0 && value == SCHED_RR);
    p.sched_priority = 5;
    assert(pthread_attr_setschedparam(&a, &p) == 0);
    p.sched_priority = 0;
    assert(pthread_attr_getschedparam(&a, &p) == 0 && p.sched_priority == 5);
    assert(pthread_attr_destroy(&a) == 0);

    assert(pthread_mutexattr_init(&m) == 0);
    assert(pthread_mutexattr_settype(&m, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_mutexattr_setprotocol(&m, PTHREAD_PRIO_INHERIT) == 0);
    assert(pthread_mutexattr_gettype(&m, &value) == 0 && value == PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutexattr_getpshared(&m, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    assert(pthread_mutexattr_getprotocol(&m, &value) == 0 && value == PTHREAD_PRIO_INHERIT);
    assert(pthread_mutexattr_settype(&m, 77) == EINVAL);

    assert(pthread_condattr_init(&c) == 0);
    assert(pthread_condattr_getclock(&c, &clock) == 0 && clock == CLOCK_REALTIME);
    assert(pthread_condattr_setclock(&c, CLOCK_MONOTONIC) == 0);
    assert(pthread_condattr_getclock(&c, &clock) == 0 && clock == CLOCK_MONOTONIC);
    assert(pthread_condattr_getpshared(&c, &value) == 0 && value == PTHREAD_PROCESS_PRIVATE);

    assert(pthread_rwlockattr_init(&r) == 0);
    assert(pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_rwlockattr_getpshared(&r, &value) == 0 && value == PTHREAD_PROCESS_SHARED);

    assert(pthread_barrierattr_init(&b) == 0);
    assert(pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED) == 0);
    assert(pthread_barrierattr_getpshared(&b, &value) == 0 && value == PTHREAD_PROCESS_SHARED);
    return 0;
}
