/* Models of library functions that can be said in C. Functions the program defines itself win over these.
 *
 * They are parsed with every program, but only what is called is lowered. Pointers to opaque types are `void *`
 * or pointers to their words: see src/lower/sync.rs for the layout. No header is included.
 */

typedef __typeof__(sizeof(0)) size_t;
typedef unsigned long handle_t;

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __threadproof_unsupported(const char *);
extern int __threadproof_sem_try(int *);

/* What the library does to its own words is no data access of the program: it is atomic (5: seq_cst), and races with nobody. */

enum { EPERM_ = 1, EAGAIN_ = 11, ENOMEM_ = 12, EBUSY_ = 16, EINVAL_ = 22, ETIMEDOUT_ = 110 };

/* ---- errno and standard streams ------------------------------------------------------------------------------ */

static _Thread_local int errno_value;
int *__errno_location(void) { return &errno_value; }

static char streams[3];
void *stdin = &streams[0];
void *stdout = &streams[1];
void *stderr = &streams[2];

/* ---- mutexes, spinlocks, condition variables: initialisation ------------------------------------------------- */

static int *kind_of(void *mutex) { return (int *)mutex + (sizeof(void *) == 4 ? 3 : 4); }

int pthread_mutex_init(void *mutex, const int *attributes) {
    __atomic_store_n(&((int *)mutex)[0], 0, 5);
    __atomic_store_n(&((int *)mutex)[1], 0, 5);
    __atomic_store_n(kind_of(mutex), attributes ? *attributes : 0, 5);
    return 0;
}
int pthread_mutex_destroy(int *mutex) { return __atomic_load_n(mutex, 5) ? EBUSY_ : 0; }
int pthread_mutexattr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_mutexattr_destroy(int *attributes) { return 0; }
int pthread_mutexattr_settype(int *attributes, int kind) {
    if (kind < 0 || kind > 3) return EINVAL_;
    *attributes = kind;
    return 0;
}
int pthread_mutexattr_gettype(const int *attributes, int *kind) { *kind = *attributes; return 0; }
int pthread_mutexattr_setpshared(int *attributes, int shared) { return 0; }
int pthread_mutexattr_setprotocol(int *attributes, int protocol) { return 0; }
int pthread_mutexattr_setrobust(int *attributes, int robust) { return 0; }

int pthread_spin_init(int *lock, int shared) { __atomic_store_n(lock, 0, 5); return 0; }
int pthread_spin_destroy(int *lock) { return 0; }

int pthread_cond_init(void *cond, const void *attributes) { return 0; }
int pthread_cond_destroy(void *cond) { return 0; }
int pthread_condattr_init(void *attributes) { return 0; }
int pthread_condattr_destroy(void *attributes) { return 0; }
int pthread_condattr_setclock(void *attributes, int clock) { return 0; }
int pthread_condattr_setpshared(void *attributes, int shared) { return 0; }

/* ---- thread attributes: the first word is the detach state --------------------------------------------------- */

int pthread_attr_init(int *attributes) { *attributes = 0; return 0; }
int pthread_attr_destroy(int *attributes) { return 0; }
int pthread_attr_setdetachstate(int *attributes, int state) {
    if (state != 0 && state != 1) return EINVAL_;
    *attributes = state;
    return 0;
}
int pthread_attr_getdetachstate(const int *attributes, int *state) { *state = *attributes; return 0; }
int pthread_attr_setstacksize(int *attributes, size_t size) { return 0; }
int pthread_attr_setguardsize(int *attributes, size_t size) { return 0; }
int pthread_attr_setscope(int *attributes, int scope) { return 0; }
int pthread_attr_setschedpolicy(int *attributes, int policy) { return 0; }
int pthread_attr_setschedparam(int *attributes, const void *parameters) { return 0; }
int pthread_attr_setinheritsched(int *attributes, int inherit) { return 0; }
int pthread_setname_np(handle_t thread, const char *name) { return 0; }
int pthread_setconcurrency(int level) { return 0; }

/* ---- readers–writer locks, barriers, semaphores -------------------------------------------------------------- */

int pthread_rwlock_init(int *lock, const void *attributes) { __atomic_store_n(&lock[0], 0, 5); __atomic_store_n(&lock[1], 0, 5); return 0; }
int pthread_rwlock_destroy(int *lock) { return __atomic_load_n(&lock[0], 5) || __atomic_load_n(&lock[1], 5) ? EBUSY_ : 0; }
int pthread_rwlockattr_init(void *attributes) { return 0; }
int pthread_rwlockattr_destroy(void *attributes) { return 0; }
int pthread_rwlockattr_setpshared(void *attributes, int shared) { return 0; }
int pthread_rwlockattr_setkind_np(void *attributes, int kind) { return 0; }

int pthread_barrier_init(int *barrier, const void *attributes, unsigned count) {
    if (count == 0) return EINVAL_;
    __atomic_store_n(&barrier[0], (int)count, 5);
    __atomic_store_n(&barrier[1], 0, 5);
    __atomic_store_n(&barrier[2], 0, 5);
    return 0;
}
int pthread_barrier_destroy(int *barrier) { return __atomic_load_n(&barrier[1], 5) ? EBUSY_ : 0; }
int pthread_barrierattr_init(void *attributes) { return 0; }
int pthread_barrierattr_destroy(void *attributes) { return 0; }
int pthread_barrierattr_setpshared(void *attributes, int shared) { return 0; }

int sem_init(int *semaphore, int shared, unsigned value) { __atomic_store_n(semaphore, (int)value, 5); return 0; }
int sem_destroy(int *semaphore) { return 0; }
int sem_getvalue(const int *semaphore, int *value) { *value = __atomic_load_n(semaphore, 5); return 0; }
int sem_trywait(int *semaphore) {
    if (__threadproof_sem_try(semaphore)) return 0;
    errno_value = EAGAIN_;
    return -1;
}
int sem_timedwait(int *semaphore, const void *until) {
    if (__threadproof_sem_try(semaphore)) return 0;
    errno_value = ETIMEDOUT_;
    return -1;
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
int pthread_key_delete(unsigned key) {
    if (key >= __atomic_load_n(&n_keys, 5)) return EINVAL_;
    __atomic_store_n(&key_used[key], 0, 5);
    return 0;
}
void *pthread_getspecific(unsigned key) { return key < N_KEYS ? key_value[key] : 0; }
int pthread_setspecific(unsigned key, const void *value) {
    if (key >= __atomic_load_n(&n_keys, 5) || !__atomic_load_n(&key_used[key], 5)) return EINVAL_;
    key_value[key] = (void *)value;
    return 0;
}

/* ---- C11 threads: thrd_success is 0, thrd_error 2 ------------------------------------------------------------ */

int mtx_init(void *mutex, int type) {
    __atomic_store_n(&((int *)mutex)[0], 0, 5);
    __atomic_store_n(&((int *)mutex)[1], 0, 5);
    __atomic_store_n(kind_of(mutex), type & 1, 5);
    return 0;
}
void mtx_destroy(void *mutex) {}
int cnd_init(void *cond) { return 0; }
void cnd_destroy(void *cond) {}
int tss_create(unsigned *key, void (*destructor)(void *)) { return pthread_key_create(key, destructor) ? 2 : 0; }
void tss_delete(unsigned key) { pthread_key_delete(key); }
void *tss_get(unsigned key) { return pthread_getspecific(key); }
int tss_set(unsigned key, void *value) { return pthread_setspecific(key, value) ? 2 : 0; }

/* ---- ends of the program ------------------------------------------------------------------------------------- */

enum { N_AT_EXIT = 32 };
static unsigned n_at_exit;
static void (*at_exit[N_AT_EXIT])(void);

void __threadproof_run_atexit(void) {
    while (__atomic_load_n(&n_at_exit, 5) > 0) {
        __atomic_store_n(&n_at_exit, __atomic_load_n(&n_at_exit, 5) - 1, 5);
        __atomic_load_n(&at_exit[__atomic_load_n(&n_at_exit, 5)], 5)();
    }
}
int atexit(void (*function)(void)) {
    (void)&__threadproof_run_atexit;
    __VERIFIER_atomic_begin();
    if (n_at_exit == N_AT_EXIT) __threadproof_unsupported("more than 32 functions registered by atexit");
    at_exit[n_at_exit++] = function;
    __VERIFIER_atomic_end();
    return 0;
}
