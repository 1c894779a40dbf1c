/* The calls that block, or let others go on. A thread that would block gives the token away and tries again; what waits for a condition,
 * a barrier or a routine is kept here, so that it follows the plan. */

#define _GNU_SOURCE
#include "schedule.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#if THREADPROOF_TSAN
void __tsan_acquire(void *);
void __tsan_release(void *);
#else
static void __tsan_acquire(void *at) {}
static void __tsan_release(void *at) {}
#endif

#define WRAP(result, name, parameters) \
    result __real_##name parameters; \
    result __wrap_##name parameters

/* ---- threads ---- */

static void *begin(void *argument) {
    struct thread *thread = argument;
    begin_thread((int)(thread - threads));
    return thread->routine(thread->argument);
}

WRAP(int, pthread_create, (pthread_t *handle, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument)) {
    int number, error;
    event(CREATE, HERE, handle, sizeof *handle);
    number = new_thread();
    threads[number].routine = routine;
    threads[number].argument = argument;
    error = __real_pthread_create(handle, attributes, begin, &threads[number]);
    if (error) threads[number].finished = 1; else threads[number].handle = *handle;
    return error;
}

WRAP(int, pthread_join, (pthread_t handle, void **result)) {
    int number = number_of(handle);
    event(JOIN, HERE, NULL, 0);
    while (number >= 0 && !threads[number].finished) blocked_at_point("waits in pthread_join");
    unblocked();
    return __real_pthread_join(handle, result);
}

struct c11 { thrd_start_t routine; void *argument; };
static void *begin_c11(void *argument) {
    struct c11 start = *(struct c11 *)argument;
    free(argument);
    return (void *)(long)start.routine(start.argument);
}

WRAP(int, thrd_create, (thrd_t *handle, thrd_start_t routine, void *argument)) {
    int number;
    struct c11 *start = malloc(sizeof *start);
    event(CREATE, HERE, handle, sizeof *handle);
    *start = (struct c11){routine, argument};
    number = new_thread();
    threads[number].routine = begin_c11;
    threads[number].argument = start;
    if (__real_pthread_create(handle, NULL, begin, &threads[number])) { threads[number].finished = 1; return thrd_error; }
    threads[number].handle = *handle;
    return thrd_success;
}

WRAP(int, thrd_join, (thrd_t handle, int *result)) {
    int number = number_of(handle);
    void *value;
    event(JOIN, HERE, NULL, 0);
    while (number >= 0 && !threads[number].finished) blocked_at_point("waits in thrd_join");
    unblocked();
    if (__real_pthread_join(handle, &value)) return thrd_error;
    if (result) *result = (int)(long)value;
    return thrd_success;
}

WRAP(void, thrd_exit, (int result)) { pthread_exit((void *)(long)result); }

/* ---- mutexes and the like ---- */

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);

/* A mutex that knows its owner answers at once, and so does a robust one whose owner has ended. */
static int answers_at_once(const pthread_mutex_t *mutex) {
    int kind = mutex->__data.__kind & 3;
    return (kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK) && mutex->__data.__owner == gettid();
}

static int take(pthread_mutex_t *mutex, int timed, const char *call) {
    int error;
    if (answers_at_once(mutex)) return __real_pthread_mutex_lock(mutex);
    while ((error = __real_pthread_mutex_trylock(mutex)) == EBUSY) {
        if (timed && is_over()) return ETIMEDOUT;
        blocked(call);
        if (timed && __real_pthread_mutex_trylock(mutex) == EBUSY) return ETIMEDOUT;
    }
    unblocked();
    return error;
}

#define MUTEX(name, timed, extra) \
    WRAP(int, name, (pthread_mutex_t *mutex extra)) { event(LOCK, HERE, mutex, 1); return take(mutex, timed, "waits in " #name); }
#define COMMA ,
MUTEX(pthread_mutex_lock, 0, )
MUTEX(pthread_mutex_timedlock, 1, COMMA const struct timespec *until)
MUTEX(pthread_mutex_clocklock, 1, COMMA clockid_t clock COMMA const struct timespec *until)
MUTEX(mtx_timedlock, 1, COMMA const struct timespec *until)
MUTEX(mtx_lock, 0, )

WRAP(int, pthread_mutex_trylock, (pthread_mutex_t *mutex)) { event(LOCK, HERE, mutex, 1); return __real_pthread_mutex_trylock(mutex); }
WRAP(int, mtx_trylock, (mtx_t *mutex)) { event(LOCK, HERE, mutex, 1); return __real_mtx_trylock(mutex); }
WRAP(int, pthread_mutex_unlock, (pthread_mutex_t *mutex)) { event(UNLOCK, HERE, mutex, 1); return __real_pthread_mutex_unlock(mutex); }
WRAP(int, mtx_unlock, (mtx_t *mutex)) { event(UNLOCK, HERE, mutex, 1); return __real_mtx_unlock(mutex); }

WRAP(int, pthread_spin_trylock, (pthread_spinlock_t *lock)) { event(LOCK, HERE, (void *)lock, 1); return __real_pthread_spin_trylock(lock); }
WRAP(int, pthread_spin_unlock, (pthread_spinlock_t *lock)) { event(UNLOCK, HERE, (void *)lock, 1); return __real_pthread_spin_unlock(lock); }
WRAP(int, pthread_spin_lock, (pthread_spinlock_t *lock)) {
    event(LOCK, HERE, (void *)lock, 1);
    while (__real_pthread_spin_trylock(lock)) blocked("waits in pthread_spin_lock");
    unblocked();
    return 0;
}

#define RWLOCK(name, try) \
    WRAP(int, try, (pthread_rwlock_t *lock)) { event(LOCK, HERE, lock, 1); return __real_##try(lock); } \
    WRAP(int, name, (pthread_rwlock_t *lock)) { \
        int error; \
        event(LOCK, HERE, lock, 1); \
        if (lock->__data.__cur_writer == gettid()) return EDEADLK; \
        while ((error = __real_##try(lock)) == EBUSY) blocked("waits in " #name); \
        unblocked(); \
        return error; }
RWLOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock)
RWLOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock)
WRAP(int, pthread_rwlock_unlock, (pthread_rwlock_t *lock)) { event(UNLOCK, HERE, lock, 1); return __real_pthread_rwlock_unlock(lock); }

WRAP(int, sem_trywait, (sem_t *semaphore)) { event(SEM_WAIT, HERE, semaphore, 1); return __real_sem_trywait(semaphore); }
WRAP(int, sem_post, (sem_t *semaphore)) { event(SEM_POST, HERE, semaphore, 1); return __real_sem_post(semaphore); }
WRAP(int, sem_wait, (sem_t *semaphore)) {
    event(SEM_WAIT, HERE, semaphore, 1);
    while (__real_sem_trywait(semaphore)) {
        if (errno != EAGAIN) return -1;
        blocked_at_point("waits in sem_wait");
    }
    unblocked();
    return 0;
}
WRAP(int, sem_timedwait, (sem_t *semaphore, const struct timespec *until)) {
    event(SEM_WAIT, HERE, semaphore, 1);
    if (!__real_sem_trywait(semaphore)) return 0;
    blocked_at_point("waits in sem_timedwait");
    unblocked();
    if (!__real_sem_trywait(semaphore)) return 0;
    errno = ETIMEDOUT;
    return -1;
}

/* ---- condition variables ---- */

/* The plan wakes this thread: if a signal woke another one that still waits, it was for this one. */
static void take_signal(struct thread *thread) {
    for (int i = 0; i < n_threads && !thread->signalled; i++) {
        struct thread *other = &threads[i];
        if (other->finished || other->condition != thread->condition || !other->signalled) continue;
        other->signalled = 0;
        thread->signalled = 1;
    }
}

/* A thread that is cancelled while it waits takes the mutex first. */
static void take_again(void *mutex) { take(mutex, 0, "waits for a mutex"); }

/* Where the plan wakes a thread for no reason, or by its deadline, it goes on. */
static int wait_for(const void *condition, pthread_mutex_t *mutex, int timed, const char *call, const void *pc) {
    struct thread *thread = self();
    int error, result = 0;
    event(COND_WAIT, pc, condition, 1);
    if ((error = __real_pthread_mutex_unlock(mutex))) return error;
    if (!thread) return 0;
    thread->condition = condition;
    thread->signalled = 0;
    pthread_cleanup_push(take_again, mutex);
    if (!plan_goes_on())
        do blocked_at_point(call); while (!thread->signalled && is_over() && !timed);
    pthread_cleanup_pop(0);
    if (!thread->signalled) take_signal(thread);
    if (!thread->signalled) result = timed ? ETIMEDOUT : 0;
    thread->condition = NULL;
    unblocked();
    event(COND_WAIT, pc, condition, 1);
    event(LOCK, pc, mutex, 1);
    error = take(mutex, 0, call);
    return error ? error : result;
}

static int signal_to(const void *condition, int all, const void *pc) {
    event(COND_SIGNAL, pc, condition, 1);
    for (int i = 0; i < n_threads; i++) {
        if (threads[i].finished || threads[i].condition != condition || threads[i].signalled) continue;
        threads[i].signalled = 1;
        if (!all) break;
    }
    return 0;
}

WRAP(int, pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m)) { return wait_for(c, m, 0, "waits in pthread_cond_wait", HERE); }
WRAP(int, pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)) { return wait_for(c, m, 1, "waits in pthread_cond_timedwait", HERE); }
WRAP(int, pthread_cond_clockwait, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t k, const struct timespec *t)) { return wait_for(c, m, 1, "waits in pthread_cond_clockwait", HERE); }
WRAP(int, pthread_cond_signal, (pthread_cond_t *c)) { return signal_to(c, 0, HERE); }
WRAP(int, pthread_cond_broadcast, (pthread_cond_t *c)) { return signal_to(c, 1, HERE); }
WRAP(int, cnd_wait, (cnd_t *c, mtx_t *m)) { return wait_for(c, (pthread_mutex_t *)m, 0, "waits in cnd_wait", HERE) ? thrd_error : thrd_success; }
WRAP(int, cnd_timedwait, (cnd_t *c, mtx_t *m, const struct timespec *t)) { return wait_for(c, (pthread_mutex_t *)m, 1, "waits in cnd_timedwait", HERE) ? thrd_timedout : thrd_success; }
WRAP(int, cnd_signal, (cnd_t *c)) { return signal_to(c, 0, HERE); }
WRAP(int, cnd_broadcast, (cnd_t *c)) { return signal_to(c, 1, HERE); }

/* ---- barriers and routines that run once ---- */

struct meeting { const void *at; unsigned count, arrived, generation; int state; };
static struct meeting meetings[256];

static struct meeting *meeting_at(const void *at) {
    for (int i = 0; i < 256; i++) {
        if (!meetings[i].at) meetings[i].at = at;
        if (meetings[i].at == at) return &meetings[i];
    }
    ended("limit more than 256 barriers");
}

WRAP(int, pthread_barrier_init, (pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned count)) {
    struct meeting *meeting = meeting_at(barrier);
    meeting->count = count;
    meeting->arrived = 0;
    return __real_pthread_barrier_init(barrier, attributes, count);
}

WRAP(int, pthread_barrier_wait, (pthread_barrier_t *barrier)) {
    struct meeting *meeting = meeting_at(barrier);
    unsigned generation = meeting->generation;
    int last;
    event(BARRIER, HERE, barrier, 1);
    __tsan_release(barrier);
    last = ++meeting->arrived >= meeting->count;
    if (last) { meeting->arrived = 0; meeting->generation++; }
    while (meeting->generation == generation) blocked("waits in pthread_barrier_wait");
    unblocked();
    event(BARRIER, HERE, barrier, 1);
    __tsan_acquire(barrier);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static int run_once(const void *once, void (*routine)(void), const void *pc) {
    struct meeting *meeting = meeting_at(once);
    event(ONCE, pc, once, 1);
    while (meeting->state == 1) blocked("waits for a routine of pthread_once");
    unblocked();
    if (meeting->state == 0) {
        meeting->state = 1;
        routine();
        meeting->state = 2;
        __tsan_release((void *)once);
    }
    __tsan_acquire((void *)once);
    return 0;
}

WRAP(int, pthread_once, (pthread_once_t *once, void (*routine)(void))) { return run_once(once, routine, HERE); }
WRAP(void, call_once, (once_flag *once, void (*routine)(void))) { run_once(once, routine, HERE); }

/* ---- ends: before them, others may run ---- */

WRAP(void, exit, (int code)) { event(NOTHING, HERE, NULL, 0); __real_exit(code); }
WRAP(void, _exit, (int code)) { event(NOTHING, HERE, NULL, 0); ended("ended the program ended"); }
WRAP(void, quick_exit, (int code)) { event(NOTHING, HERE, NULL, 0); __real_quick_exit(code); }

/* ---- signals: only waiting for them ---- */

WRAP(int, sigwait, (const sigset_t *set, int *signal)) {
    struct timespec none = {0, 0};
    int got;
    event(NOTHING, HERE, NULL, 0);
    while ((got = sigtimedwait(set, NULL, &none)) < 0) blocked_at_point("waits in sigwait");
    unblocked();
    *signal = got;
    return 0;
}

/* ---- time passes, others run ---- */

static void let_others_run(const void *pc) { event(NOTHING, pc, NULL, 0); if (is_over()) { blocked("sleeps"); unblocked(); } }
WRAP(unsigned, sleep, (unsigned seconds)) { let_others_run(HERE); return 0; }
WRAP(int, usleep, (useconds_t time)) { let_others_run(HERE); return 0; }
WRAP(int, nanosleep, (const struct timespec *time, struct timespec *left)) { let_others_run(HERE); return 0; }
WRAP(int, sched_yield, (void)) { let_others_run(HERE); return 0; }
WRAP(void, thrd_yield, (void)) { let_others_run(HERE); }

/* ---- verdicts and inputs ---- */

WRAP(void, __assert_fail, (const char *text, const char *file, unsigned line, const char *function)) {
    char what[512];
    snprintf(what, sizeof what, "assertion `%s` fails in %s", text, function);
    failed(what);
    __real___assert_fail(text, file, line, function);
}

static void error(const char *name) {
    char what[128];
    snprintf(what, sizeof what, "`%s` is called", name);
    failed(what);
    abort();
}
__attribute__((weak)) void reach_error(void) { error("reach_error"); }
__attribute__((weak)) void __VERIFIER_error(void) { error("__VERIFIER_error"); }
__attribute__((weak)) void __VERIFIER_assert(int condition) { if (!condition) error("__VERIFIER_assert"); }
__attribute__((weak)) void __VERIFIER_assume(int condition) { if (!condition) ended("assume an assumption fails"); }
__attribute__((weak)) void assume_abort_if_not(int condition) { if (!condition) ended("assume an assumption fails"); }
__attribute__((weak)) void __VERIFIER_atomic_begin(void) {}
__attribute__((weak)) void __VERIFIER_atomic_end(void) {}

/* What programs without headers mean, and other verifiers. */
__attribute__((weak)) void assert(int condition) { if (!condition) error("assert"); }
__attribute__((weak)) void __CPROVER_assert(int condition, const char *text) { if (!condition) error("__CPROVER_assert"); }
__attribute__((weak)) void __CPROVER_assume(int condition) { __VERIFIER_assume(condition); }
__attribute__((weak)) void __CPROVER_atomic_begin(void) {}
__attribute__((weak)) void __CPROVER_atomic_end(void) {}
__attribute__((weak)) void __ESBMC_assert(int condition, const char *text) { if (!condition) error("__ESBMC_assert"); }
__attribute__((weak)) void __ESBMC_assume(int condition) { __VERIFIER_assume(condition); }
__attribute__((weak)) void __ESBMC_atomic_begin(void) {}
__attribute__((weak)) void __ESBMC_atomic_end(void) {}
__attribute__((weak)) void __goblint_check(int condition) { if (!condition) error("__goblint_check"); }
__attribute__((weak)) void __goblint_assert(int condition) { if (!condition) error("__goblint_assert"); }
__attribute__((weak)) void __goblint_assume(int condition) { __VERIFIER_assume(condition); }

#define INPUT(name, type) __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return (type)input("__VERIFIER_nondet_" #name, HERE); }
INPUT(int, int) INPUT(uint, unsigned) INPUT(unsigned, unsigned) INPUT(unsigned_int, unsigned) INPUT(long, long) INPUT(ulong, unsigned long)
INPUT(longlong, long long) INPUT(ulonglong, unsigned long long) INPUT(short, short) INPUT(ushort, unsigned short) INPUT(char, char)
INPUT(uchar, unsigned char) INPUT(bool, _Bool) INPUT(size_t, size_t) INPUT(pointer, void *) INPUT(u8, unsigned char) INPUT(u16, unsigned short)
INPUT(u32, unsigned) INPUT(U32, unsigned) INPUT(s8, signed char) INPUT(loff_t, long) INPUT(pchar, char *)
__attribute__((weak)) float __VERIFIER_nondet_float(void) {
    union { unsigned bits; float value; } it = {(unsigned)input("__VERIFIER_nondet_float", HERE)};
    return it.value;
}
__attribute__((weak)) double __VERIFIER_nondet_double(void) {
    union { unsigned long long bits; double value; } it = {input("__VERIFIER_nondet_double", HERE)};
    return it.value;
}
