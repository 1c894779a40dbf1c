/* Models of library functions that can be said in C. Functions the program defines itself win over these.
 *
 * They are parsed with every program, but only what is called is lowered. Pointers to opaque types are `void *`
 * or pointers to their words: see src/lower/sync.rs for the layout. No header is included.
 */

typedef __typeof__(sizeof(0)) size_t;
typedef unsigned long handle_t;

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern void __threadproof_unsupported(const char *);
extern int __threadproof_sem_try(int *);
extern void *malloc(size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t);

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

/* ---- time: any ----------------------------------------------------------------------------------------------- */

long time(long *result) {
    long now = __VERIFIER_nondet_long();
    if (result) *result = now;
    return now;
}
static int any_time(long *seconds_and_fraction, long limit) {
    long fraction = __VERIFIER_nondet_long();
    __VERIFIER_assume(fraction >= 0 && fraction < limit);
    seconds_and_fraction[0] = __VERIFIER_nondet_long();
    seconds_and_fraction[1] = fraction;
    return 0;
}
int clock_gettime(int clock, long *result) { return any_time(result, 1000000000); }
int gettimeofday(long *result, void *zone) { return any_time(result, 1000000); }
int timespec_get(long *result, int base) { any_time(result, 1000000000); return base; }

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

/* ---- memory and strings -------------------------------------------------------------------------------------- */

int posix_memalign(void **result, size_t alignment, size_t size) { *result = malloc(size); return 0; }
void *reallocarray(void *old, size_t count, size_t size) {
    extern void *realloc(void *, size_t);
    return realloc(old, count * size);
}

int memcmp(const void *left, const void *right, size_t n) {
    const unsigned char *l = left, *r = right;
    for (size_t i = 0; i < n; i++)
        if (l[i] != r[i]) return l[i] < r[i] ? -1 : 1;
    return 0;
}
void *memchr(const void *memory, int byte, size_t n) {
    const unsigned char *m = memory;
    for (size_t i = 0; i < n; i++)
        if (m[i] == (unsigned char)byte) return (void *)(m + i);
    return 0;
}
void bzero(void *memory, size_t n) {
    unsigned char *m = memory;
    for (size_t i = 0; i < n; i++) m[i] = 0;
}

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}
size_t strnlen(const char *s, size_t max) {
    size_t n = 0;
    while (n < max && s[n]) n++;
    return n;
}
char *strcpy(char *to, const char *from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    return to;
}
char *stpcpy(char *to, const char *from) {
    while ((*to = *from)) { to++; from++; }
    return to;
}
char *strncpy(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}
char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}
char *strncat(char *to, const char *from, size_t n) {
    size_t at = strlen(to), i = 0;
    for (; i < n && from[i]; i++) to[at + i] = from[i];
    to[at + i] = 0;
    return to;
}
int strcmp(const char *left, const char *right) {
    const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
    while (*l && *l == *r) { l++; r++; }
    return *l < *r ? -1 : *l > *r;
}
int strncmp(const char *left, const char *right, size_t n) {
    const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
    for (; n > 0; n--, l++, r++) {
        if (*l != *r) return *l < *r ? -1 : 1;
        if (!*l) return 0;
    }
    return 0;
}
char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return 0;
    }
}
char *strrchr(const char *s, int c) {
    const char *last = 0;
    for (;; s++) {
        if (*s == (char)c) last = s;
        if (!*s) return (char *)last;
    }
}
char *strstr(const char *s, const char *part) {
    size_t n = strlen(part);
    for (;; s++) {
        if (strncmp(s, part, n) == 0) return (char *)s;
        if (!*s) return 0;
    }
}
size_t strspn(const char *s, const char *accept) {
    size_t n = 0;
    while (s[n] && strchr(accept, s[n])) n++;
    return n;
}
size_t strcspn(const char *s, const char *reject) {
    size_t n = 0;
    while (s[n] && !strchr(reject, s[n])) n++;
    return n;
}
char *strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    memcpy(copy, s, n);
    return copy;
}

/* ---- numbers and characters ---------------------------------------------------------------------------------- */

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
int rand(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    return x;
}
int rand_r(unsigned *seed) { return rand(); }
long random(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    return x;
}
int atoi(const char *s) {
    int value = 0, negative = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    if (*s == '-' || *s == '+') negative = *s++ == '-';
    while (*s >= '0' && *s <= '9') value = value * 10 + (*s++ - '0');
    return negative ? -value : value;
}
int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int tolower(int c) { return isupper(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return islower(c) ? c - ('a' - 'A') : c; }
