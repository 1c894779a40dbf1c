/* Models of POSIX threads: attributes, initialisation, thread-specific data, cleanup handlers, cancellation.
 *
 * What blocks is in src/lower/sync.rs, with the layout of the objects; this file has the rest. What the library does to its
 * own words is no data access of the program: it is atomic (5: seq_cst), and races with nothing.
 *
 * A function `__threadproof_…` that lowering calls at a certain event is lowered only if something here refers to it: a program
 * that never cancels a thread pays nothing for cancellation.
 */

typedef __typeof__(sizeof(0)) size_t;
typedef unsigned long handle_t;
typedef unsigned long long set_t; /* of threads, by their handles */

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __threadproof_unsupported(const char *);
extern int __threadproof_some_int(void);
extern int __threadproof_checks_waiting(void);
extern int __threadproof_has_robust_mutexes(void);
extern int __threadproof_checks_misuse(void);
extern int __threadproof_is_static(const void *);
extern void __threadproof_undefined(const char *);
extern void __threadproof_step_begin(void);
extern void __threadproof_step_end(void);
extern void __threadproof_guard(int);
extern handle_t pthread_self(void);
extern int pthread_join(handle_t, void **);
extern int pthread_cond_broadcast(void *);
extern void pthread_exit(void *);
extern void exit(int);
extern void __threadproof_wake_signal_waiters(void);
extern _Bool __VERIFIER_nondet_bool(void);

enum {
    EPERM_ = 1, ESRCH_ = 3, EAGAIN_ = 11, ENOMEM_ = 12, EBUSY_ = 16, EINVAL_ = 22, ENOTSUP_ = 95, ETIMEDOUT_ = 110,
};

/* What only tells misuse (src/lower/misuse.rs): words that are 0 in what is initialised statically, 2 in what a call initialised, and something else in others. */
enum { MUTEX_FLAG = 5, RWLOCK_FLAG = 4, COND_FLAG = 4, INITIALISED = 2 };

static int is_invalid(const int *flag) { return (__atomic_load_n(flag, 0) & ~INITIALISED) != 0; }
void __threadproof_note_initialised(int *flag) {
    if (__threadproof_is_static(flag) && __atomic_load_n(flag, 0) == INITIALISED)
        __threadproof_undefined("initialised-twice: initialising a lock or condition variable that is initialised already");
    __atomic_store_n(flag, INITIALISED, 5);
}

/* ---- mutexes: an attribute is a word of type, robustness, protocol, sharing and ceiling ------------------------ */

enum { KIND = sizeof(void *) == 4 ? 3 : 4, TYPE = 3, ROBUST = 1 << 4, PROTOCOL = 3 << 5, SHARED = 1 << 7, CEILING_AT = 8 };


int pthread_mutex_init(void *mutex, const int *attributes) {
    if (__threadproof_checks_misuse() && __threadproof_is_static(mutex) && __atomic_load_n((int *)mutex, 0))
        __threadproof_undefined("initialised-twice: initialising a mutex that is locked");
    __atomic_store_n(&((int *)mutex)[0], 0, 5);
    __atomic_store_n(&((int *)mutex)[1], 0, 5);
    if (__threadproof_has_robust_mutexes()) __atomic_store_n(&((int *)mutex)[2], 0, 5);
    if (__threadproof_checks_misuse()) __threadproof_note_initialised(&((int *)mutex)[MUTEX_FLAG]);
    __atomic_store_n(&((int *)mutex)[KIND], attributes ? *attributes & (TYPE | ROBUST) : 0, 5);
    return 0;
}
/* Looking at a lock without taking it orders nothing (0: relaxed). */
int pthread_mutex_destroy(int *mutex) {
    if (!__threadproof_checks_misuse()) return __atomic_load_n(mutex, 0) ? EBUSY_ : 0;
    if (is_invalid(&mutex[MUTEX_FLAG]))
        __threadproof_undefined("use-after-destroy: destroy of a mutex that was destroyed, or never initialised");
    if (__atomic_load_n(mutex, 0)) __threadproof_undefined("destroy-in-use: destroy of a locked mutex");
    __atomic_store_n(&mutex[MUTEX_FLAG], 1, 5);
    return 0;
}

/* What attributes begin with is indeterminate once they are destroyed, so that using them is noticed. */
static int destroy_attributes(int *attributes) {
    int never_set;
    if (__threadproof_checks_misuse()) __builtin_memcpy(attributes, &never_set, sizeof never_set);
    return 0;
}

int pthread_mutexattr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_mutexattr_destroy(int *attributes) { return destroy_attributes(attributes); }
int pthread_mutexattr_settype(int *attributes, int kind) {
    if (kind < 0 || kind > 3) return EINVAL_;
    *attributes = (*attributes & ~TYPE) | kind;
    return 0;
}
int pthread_mutexattr_setkind_np(int *attributes, int kind) { return pthread_mutexattr_settype(attributes, kind); }
int pthread_mutexattr_gettype(const int *attributes, int *kind) { *kind = *attributes & TYPE; return 0; }
int pthread_mutexattr_getkind_np(const int *attributes, int *kind) { *kind = *attributes & TYPE; return 0; }
int pthread_mutexattr_setpshared(int *attributes, int shared) {
    if (shared != 0 && shared != 1) return EINVAL_;
    *attributes = (*attributes & ~SHARED) | (shared ? SHARED : 0);
    return 0;
}
int pthread_mutexattr_getpshared(const int *attributes, int *shared) { *shared = (*attributes & SHARED) != 0; return 0; }
int pthread_mutexattr_setprotocol(int *attributes, int protocol) {
    if (protocol < 0 || protocol > 2) return EINVAL_;
    *attributes = (*attributes & ~PROTOCOL) | protocol << 5;
    return 0;
}
int pthread_mutexattr_getprotocol(const int *attributes, int *protocol) { *protocol = (*attributes & PROTOCOL) >> 5; return 0; }
int pthread_mutexattr_setprioceiling(int *attributes, int ceiling) {
    if (ceiling < 1 || ceiling > 99) return EINVAL_;
    *attributes = (*attributes & 0xff) | ceiling << CEILING_AT;
    return 0;
}
int pthread_mutexattr_getprioceiling(const int *attributes, int *ceiling) {
    int set = *attributes >> CEILING_AT;
    *ceiling = set ? set : 1;
    return 0;
}

/* Word 2 of a robust mutex: 0 consistent, 1 inherited from a thread that ended, 2 not recoverable. */

void __threadproof_note_end(void);

int pthread_mutexattr_setrobust(int *attributes, int robust) {
    (void)&__threadproof_note_end;
    if (robust != 0 && robust != 1) return EINVAL_;
    *attributes = (*attributes & ~ROBUST) | (robust ? ROBUST : 0);
    return 0;
}
int pthread_mutexattr_setrobust_np(int *attributes, int robust) { return pthread_mutexattr_setrobust(attributes, robust); }
int pthread_mutexattr_getrobust(const int *attributes, int *robust) { *robust = (*attributes & ROBUST) != 0; return 0; }
int pthread_mutexattr_getrobust_np(const int *attributes, int *robust) { return pthread_mutexattr_getrobust(attributes, robust); }
int pthread_mutex_consistent(int *mutex) {
    if (!(__atomic_load_n(&mutex[KIND], 5) & ROBUST) || __atomic_load_n(&mutex[2], 5) != 1) return EINVAL_;
    if (__atomic_load_n(&mutex[0], 5) != (int)pthread_self()) return EINVAL_;
    __atomic_store_n(&mutex[2], 0, 5);
    return 0;
}
int pthread_mutex_consistent_np(int *mutex) { return pthread_mutex_consistent(mutex); }

/* ---- spinlocks, condition variables, readers–writer locks, barriers ------------------------------------------ */

int pthread_spin_init(int *lock, int shared) { __atomic_store_n(lock, 0, 5); return 0; }
int pthread_spin_destroy(int *lock) {
    if (__threadproof_checks_misuse() && __atomic_load_n(lock, 0))
        __threadproof_undefined("destroy-in-use: destroy of a locked spinlock");
    return 0;
}

/* At 0: the mutex of those who wait; words 2, 3: waiters, and those that were signalled. Word 5 is written so that there is an access to memory (src/lower/misuse.rs). */
enum { COND_TOUCHED = 5 };
static void initialise_cond(int *cond) {
    __atomic_store_n(&cond[COND_TOUCHED], 0, 5);
    if (!__threadproof_checks_misuse()) return;
    __atomic_store_n((void **)cond, (void *)0, 5);
    for (int i = 2; i < COND_FLAG; i++) __atomic_store_n(&cond[i], 0, 5);
    __threadproof_note_initialised(&cond[COND_FLAG]);
}
static void destroy_cond(int *cond) {
    __atomic_store_n(&cond[COND_TOUCHED], 0, 5);
    if (!__threadproof_checks_misuse()) return;
    if (is_invalid(&cond[COND_FLAG]))
        __threadproof_undefined("use-after-destroy: destroy of a condition variable that was destroyed, or never initialised");
    __VERIFIER_atomic_begin();
    if (__atomic_load_n(&cond[2], 0) > __atomic_load_n(&cond[3], 0))
        __threadproof_undefined("destroy-in-use: destroy of a condition variable on which a thread waits");
    __atomic_store_n(&cond[COND_FLAG], 1, 5);
    __VERIFIER_atomic_end();
    __threadproof_step_begin();
    __threadproof_guard(__atomic_load_n(&cond[2], 0) == 0);
    __threadproof_step_end();
}
int pthread_cond_init(void *cond, const void *attributes) { initialise_cond(cond); return 0; }
int pthread_cond_destroy(void *cond) { destroy_cond(cond); return 0; }
int cnd_init(void *cond) { initialise_cond(cond); return 0; }
void cnd_destroy(void *cond) { destroy_cond(cond); }
int pthread_condattr_init(int *attributes) { *attributes = 0; return 0; } /* bit 0: shared; above: the clock */
int pthread_condattr_destroy(int *attributes) { return destroy_attributes(attributes); }
int pthread_condattr_setclock(int *attributes, int clock) {
    if (clock != 0 && clock != 1) return EINVAL_;
    *attributes = (*attributes & 1) | clock << 1;
    return 0;
}
int pthread_condattr_getclock(const int *attributes, int *clock) { *clock = *attributes >> 1; return 0; }
int pthread_condattr_setpshared(int *attributes, int shared) {
    if (shared != 0 && shared != 1) return EINVAL_;
    *attributes = (*attributes & ~1) | shared;
    return 0;
}
int pthread_condattr_getpshared(const int *attributes, int *shared) { *shared = *attributes & 1; return 0; }

int pthread_rwlock_init(int *lock, const void *attributes) {
    __atomic_store_n(&lock[0], 0, 5);
    __atomic_store_n(&lock[1], 0, 5);
    if (__threadproof_checks_misuse()) {
        __atomic_store_n((unsigned long long *)&lock[2], 0, 5);
        __threadproof_note_initialised(&lock[RWLOCK_FLAG]);
    }
    return 0;
}
int pthread_rwlock_destroy(int *lock) {
    int held;
    if (__threadproof_checks_misuse() && is_invalid(&lock[RWLOCK_FLAG]))
        __threadproof_undefined("use-after-destroy: destroy of a readers-writer lock that was destroyed, or never initialised");
    held = __atomic_load_n(&lock[0], 0) || __atomic_load_n(&lock[1], 0);
    if (!__threadproof_checks_misuse()) return held ? EBUSY_ : 0;
    if (held) __threadproof_undefined("destroy-in-use: destroy of a locked readers-writer lock");
    __atomic_store_n(&lock[RWLOCK_FLAG], 1, 5);
    return 0;
}
int pthread_rwlockattr_init(int *attributes) { attributes[0] = 0; attributes[1] = 0; return 0; }
int pthread_rwlockattr_destroy(int *attributes) { return destroy_attributes(attributes); }
int pthread_rwlockattr_setpshared(int *attributes, int shared) {
    if (shared != 0 && shared != 1) return EINVAL_;
    attributes[1] = shared;
    return 0;
}
int pthread_rwlockattr_getpshared(const int *attributes, int *shared) { *shared = attributes[1]; return 0; }
int pthread_rwlockattr_setkind_np(int *attributes, int kind) {
    if (kind < 0 || kind > 2) return EINVAL_;
    /* A reader that waits for a writer that waits: fewer executions, but more deadlocks. */
    if (kind == 2 && __threadproof_checks_waiting()) __threadproof_unsupported("readers-writer locks that prefer writers");
    attributes[0] = kind;
    return 0;
}
int pthread_rwlockattr_getkind_np(const int *attributes, int *kind) { *kind = attributes[0]; return 0; }

int pthread_barrier_init(int *barrier, const void *attributes, unsigned count) {
    if (count == 0 || count > 0x7fffffff) return EINVAL_;
    if (__threadproof_checks_misuse() && __threadproof_is_static(barrier) && __atomic_load_n(barrier, 0))
        __threadproof_undefined("initialised-twice: initialising a barrier that is initialised already");
    __atomic_store_n(&barrier[0], (int)count, 5);
    __atomic_store_n(&barrier[1], 0, 5);
    __atomic_store_n(&barrier[2], 0, 5);
    return 0;
}
int pthread_barrier_destroy(int *barrier) {
    int waits = __atomic_load_n(&barrier[1], 0) != 0;
    if (!__threadproof_checks_misuse()) return waits ? EBUSY_ : 0;
    if (waits) __threadproof_undefined("destroy-in-use: destroy of a barrier at which a thread waits");
    __atomic_store_n(&barrier[0], 0, 5);
    return 0;
}
int pthread_barrierattr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_barrierattr_destroy(int *attributes) { return destroy_attributes(attributes); }
int pthread_barrierattr_setpshared(int *attributes, int shared) {
    if (shared != 0 && shared != 1) return EINVAL_;
    *attributes = shared;
    return 0;
}
int pthread_barrierattr_getpshared(const int *attributes, int *shared) { *shared = *attributes; return 0; }

/* ---- thread attributes: words for detach state, scope, inheritance, policy, priority; then sizes ------------- */

static size_t *sizes_of(const void *attributes) { return (size_t *)attributes + (sizeof(void *) == 4 ? 5 : 3); }

int pthread_attr_init(int *attributes) {
    attributes[0] = attributes[1] = attributes[2] = attributes[3] = attributes[4] = 0;
    sizes_of(attributes)[0] = 8 << 20;
    sizes_of(attributes)[1] = 4096;
    return 0;
}
int pthread_attr_destroy(int *attributes) { return destroy_attributes(attributes); }
int pthread_attr_setdetachstate(int *attributes, int state) {
    if (state != 0 && state != 1) return EINVAL_;
    attributes[0] = state;
    return 0;
}
int pthread_attr_getdetachstate(const int *attributes, int *state) { *state = attributes[0]; return 0; }
int pthread_attr_setscope(int *attributes, int scope) { return scope == 0 ? 0 : scope == 1 ? ENOTSUP_ : EINVAL_; }
int pthread_attr_getscope(const int *attributes, int *scope) { *scope = 0; return 0; }
int pthread_attr_setinheritsched(int *attributes, int inherit) {
    if (inherit != 0 && inherit != 1) return EINVAL_;
    attributes[2] = inherit;
    return 0;
}
int pthread_attr_getinheritsched(const int *attributes, int *inherit) { *inherit = attributes[2]; return 0; }
int pthread_attr_setschedpolicy(int *attributes, int policy) {
    if (policy < 0 || policy > 2) return EINVAL_;
    attributes[3] = policy;
    return 0;
}
int pthread_attr_getschedpolicy(const int *attributes, int *policy) { *policy = attributes[3]; return 0; }
int pthread_attr_setschedparam(int *attributes, const int *priority) {
    int value = *priority;
    if (attributes[3] == 0 ? value != 0 : value < 1 || value > 99) return EINVAL_;
    attributes[4] = value;
    return 0;
}
int pthread_attr_getschedparam(const int *attributes, int *priority) { *priority = attributes[4]; return 0; }
int pthread_attr_setstacksize(int *attributes, size_t size) {
    if (size < 16384) return EINVAL_;
    sizes_of(attributes)[0] = size;
    return 0;
}
int pthread_attr_getstacksize(const int *attributes, size_t *size) { *size = sizes_of(attributes)[0]; return 0; }
int pthread_attr_setguardsize(int *attributes, size_t size) { sizes_of(attributes)[1] = size; return 0; }
int pthread_attr_getguardsize(const int *attributes, size_t *size) { *size = sizes_of(attributes)[1]; return 0; }

static int concurrency;
int pthread_setconcurrency(int level) {
    if (level < 0) return EINVAL_;
    __atomic_store_n(&concurrency, level, 5);
    return 0;
}
int pthread_getconcurrency(void) { return __atomic_load_n(&concurrency, 5); }

int pthread_getschedparam(handle_t thread, int *policy, int *priority) {
    *policy = __threadproof_some_int();
    *priority = __threadproof_some_int();
    return 0;
}

/* ---- thread-specific data ------------------------------------------------------------------------------------ */

enum { N_KEYS = 16 };
static unsigned n_keys;
static char key_used[N_KEYS];
static void (*key_destructor[N_KEYS])(void *);
static _Thread_local void *key_value[N_KEYS];

void __threadproof_run_destructors(void) {
    for (int round = 0; round < 4; round++) { /* PTHREAD_DESTRUCTOR_ITERATIONS */
        int again = 0;
        for (unsigned key = 0; key < __atomic_load_n(&n_keys, 5); key++) {
            void *value = key_value[key];
            void (*destructor)(void *) = __atomic_load_n(&key_destructor[key], 5);
            if (!value || !__atomic_load_n(&key_used[key], 5) || !destructor) continue;
            key_value[key] = 0;
            destructor(value);
            again = 1;
        }
        if (!again) return;
    }
}

int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
    unsigned mine;
    (void)&__threadproof_run_destructors;
    __VERIFIER_atomic_begin();
    mine = n_keys;
    if (mine == N_KEYS) __threadproof_unsupported("more than 16 keys of thread-specific data");
    n_keys = mine + 1;
    key_used[mine] = 1;
    key_destructor[mine] = destructor;
    __VERIFIER_atomic_end();
    *key = mine;
    return 0;
}
/* POSIX leaves undefined what a key does that was never created, or was deleted; glibc returns an error. */
static int is_no_key(unsigned key) {
    if (key < N_KEYS && __atomic_load_n(&key_used[key], 5)) return 0;
    if (__threadproof_checks_misuse()) __threadproof_undefined("thread-misuse: use of a key that was deleted, or never created");
    return 1;
}
int pthread_key_delete(unsigned key) {
    if (is_no_key(key)) return EINVAL_;
    __atomic_store_n(&key_used[key], 0, 5);
    return 0;
}
void *pthread_getspecific(unsigned key) { return is_no_key(key) ? 0 : key_value[key]; }
int pthread_setspecific(unsigned key, const void *value) {
    if (is_no_key(key)) return EINVAL_;
    key_value[key] = (void *)value;
    return 0;
}

/* ---- cleanup handlers ---------------------------------------------------------------------------------------- */

/* `pthread_cleanup_push` has a buffer on the stack: its words are the handler, its argument, and the next older
 * buffer. Lowering passes handler and argument, which the macro keeps in variables of its own. */

static _Thread_local void **cleanup_top;

void __threadproof_run_cleanups(void) {
    while (cleanup_top) {
        void **buffer = cleanup_top;
        cleanup_top = buffer[2];
        ((void (*)(void *))buffer[0])(buffer[1]);
    }
}
void __pthread_register_cancel(void **buffer, void (*handler)(void *), void *argument) {
    (void)&__threadproof_run_cleanups;
    buffer[0] = (void *)handler;
    buffer[1] = argument;
    buffer[2] = cleanup_top;
    cleanup_top = buffer;
}
void __pthread_unregister_cancel(void **buffer) { cleanup_top = buffer[2]; }

/* ---- which threads have ended -------------------------------------------------------------------------------- */

enum { N_THREADS = 64 };

_Atomic set_t __threadproof_ended;
void __threadproof_note_end(void) {
    handle_t self = pthread_self();
    if (self >= N_THREADS) __threadproof_unsupported("more than 63 threads with robust mutexes or cancellation");
    __atomic_fetch_or(&__threadproof_ended, 1ULL << self, 5);
}

static int has_ended(handle_t thread) {
    (void)&__threadproof_note_end;
    if (thread >= N_THREADS) __threadproof_unsupported("a test whether one of more than 63 threads has ended");
    return __threadproof_ended >> thread & 1;
}
int pthread_tryjoin_np(handle_t thread, void **result) { return has_ended(thread) ? pthread_join(thread, result) : EBUSY_; }
int pthread_timedjoin_np(handle_t thread, void **result, const void *until) {
    return has_ended(thread) ? pthread_join(thread, result) : ETIMEDOUT_;
}
int pthread_clockjoin_np(handle_t thread, void **result, int clock, const void *until) {
    return has_ended(thread) ? pthread_join(thread, result) : ETIMEDOUT_;
}

/* ---- cancellation -------------------------------------------------------------------------------------------- */

/* Lowering tests `__threadproof_cancel_requests` at cancellation points, unless the thread has disabled that, and calls
 * `__threadproof_cancelled`. A waiter on a condition variable says on which, and waits on the word where it says so: a request wakes this waiter only
 * (if it is *wakeable*: has not disabled cancellation), and a signal looks for the waiters of its condition variable. */

_Atomic set_t __threadproof_cancel_requests;
_Atomic set_t __threadproof_joinable;
_Atomic set_t __threadproof_waiting;
_Atomic set_t __threadproof_wakeable;
void *__threadproof_waits_on[N_THREADS];
_Thread_local int __threadproof_cancel_disabled;
_Thread_local int __threadproof_cancel_asynchronous;

void __threadproof_reset_once(int *once) { __atomic_store_n(once, 0, 5); }
void __threadproof_cancelled(void) {
    __threadproof_cancel_disabled = 1;
    pthread_exit((void *)-1);
}

static void wake_thread(handle_t thread) {
    __threadproof_waiting &= ~(1ULL << thread);
    __threadproof_wakeable &= ~(1ULL << thread);
    __atomic_store_n(&__threadproof_waits_on[thread], (void *)0, 5);
    pthread_cond_broadcast(&__threadproof_waits_on[thread]);
}
/* Wakes one of those who wait on a condition variable, any one, or all. */
void __threadproof_wake(void *cond, int all) {
    set_t mine = 0;
    __VERIFIER_atomic_begin();
    for (set_t left = __threadproof_waiting; left; left &= left - 1) {
        handle_t thread = (handle_t)__builtin_ctzll(left);
        if (__atomic_load_n(&__threadproof_waits_on[thread], 5) == cond) mine |= 1ULL << thread;
    }
    if (!all) {
        while ((mine & (mine - 1)) && __VERIFIER_nondet_bool()) mine &= mine - 1;
        mine &= 0 - mine;
    }
    for (; mine; mine &= mine - 1) wake_thread((handle_t)__builtin_ctzll(mine));
    __VERIFIER_atomic_end();
}

/* A thread of the asynchronous type acts on its own request, and on one that was held back, at once, as in glibc. */
static void act_if_asynchronous(void) {
    if (!__threadproof_cancel_asynchronous || __threadproof_cancel_disabled) return;
    if (__threadproof_cancel_requests >> pthread_self() & 1) __threadproof_cancelled();
}
int pthread_cancel(handle_t thread) {
    (void)&__threadproof_note_end;
    (void)&__threadproof_cancelled;
    (void)&__threadproof_joinable;
    (void)&__threadproof_reset_once;
    (void)&__threadproof_wake;
    (void)&__pthread_register_cancel;
    (void)&__pthread_unregister_cancel;
    if (thread >= N_THREADS) __threadproof_unsupported("cancellation with more than 63 threads");
    __VERIFIER_atomic_begin();
    __threadproof_cancel_requests |= 1ULL << thread;
    if (__threadproof_wakeable >> thread & 1) pthread_cond_broadcast(&__threadproof_waits_on[thread]);
    __VERIFIER_atomic_end();
    __threadproof_wake_signal_waiters();
    if (thread == pthread_self()) act_if_asynchronous();
    return 0;
}
int pthread_setcancelstate(int state, int *old) {
    if (state != 0 && state != 1) return EINVAL_;
    if (old) *old = __threadproof_cancel_disabled;
    __threadproof_cancel_disabled = state;
    act_if_asynchronous();
    return 0;
}
int pthread_setcanceltype(int type, int *old) {
    if (type != 0 && type != 1) return EINVAL_;
    if (old) *old = __threadproof_cancel_asynchronous;
    __threadproof_cancel_asynchronous = type;
    act_if_asynchronous();
    return 0;
}

/* ---- the last thread's end ----------------------------------------------------------------------------------- */

int __threadproof_n_threads = 1;
void __threadproof_thread_starts(void) { __atomic_fetch_add(&__threadproof_n_threads, 1, 5); }
void __threadproof_thread_ends(void) {
    if (__atomic_sub_fetch(&__threadproof_n_threads, 1, 5) == 0) exit(0);
}
