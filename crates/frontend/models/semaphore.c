/* Models of POSIX semaphores, but for waiting and posting (src/lower/sync.rs): the first word is the value. */

typedef __typeof__(sizeof(0)) size_t;

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __threadproof_unsupported(const char *);
extern int __threadproof_sem_try(int *);
extern int __threadproof_reads_clocks(void);
extern int __threadproof_checks_misuse(void);
extern int __threadproof_is_static(const void *);
extern void __threadproof_undefined(const char *);
extern int *__errno_location(void);
extern int strcmp(const char *, const char *);
extern char *strcpy(char *, const char *);
extern size_t strlen(const char *);

enum { EOVERFLOW_ = 75, ENOENT_ = 2, EAGAIN_ = 11, EEXIST_ = 17, EINVAL_ = 22, ETIMEDOUT_ = 110 };
enum { MAX_VALUE = 0x7fffffff };

/* The word that is 1 in a semaphore that is initialised, and only tells misuse (src/lower/misuse.rs). */
enum { FLAG = 3 };

static void check(const int *semaphore) {
    if (__threadproof_checks_misuse() && __atomic_load_n(&semaphore[FLAG], 0) != 1)
        __threadproof_undefined("use-after-destroy: use of a semaphore that was destroyed, or never initialised");
}

static int fails(int error) {
    *__errno_location() = error;
    return -1;
}

int __threadproof_sem_overflow(void) { return fails(EOVERFLOW_); }

int sem_init(int *semaphore, int shared, unsigned value) {
    (void)&__threadproof_sem_overflow;
    if (value > MAX_VALUE) return fails(EINVAL_);
    if (__threadproof_checks_misuse() && __threadproof_is_static(semaphore) && __atomic_load_n(&semaphore[FLAG], 0) == 1)
        __threadproof_undefined("initialised-twice: initialising a semaphore that is initialised already");
    __atomic_store_n(semaphore, (int)value, 5);
    if (__threadproof_checks_misuse()) __atomic_store_n(&semaphore[FLAG], 1, 5);
    return 0;
}
int sem_destroy(int *semaphore) {
    check(semaphore);
    if (__threadproof_checks_misuse()) __atomic_store_n(&semaphore[FLAG], 0, 5);
    return 0;
}
int sem_getvalue(const int *semaphore, int *value) { check(semaphore); *value = __atomic_load_n(semaphore, 0); return 0; }
int sem_trywait(int *semaphore) { check(semaphore); return __threadproof_sem_try(semaphore) ? 0 : fails(EAGAIN_); }
int sem_timedwait(int *semaphore, const long *until) {
    if (!__threadproof_reads_clocks() && (until[1] < 0 || until[1] >= 1000000000)) return fails(EINVAL_);
    check(semaphore);
    return __threadproof_sem_try(semaphore) ? 0 : fails(ETIMEDOUT_);
}
int sem_clockwait(int *semaphore, int clock, const long *until) { return sem_timedwait(semaphore, until); }
/* ---- named semaphores: nobody outside of the program has made one ---------------------------------------------- */

enum { N_NAMED = 8, NAME_SIZE = 32, CREATE = 0100, EXCLUSIVE = 0200 };
static struct named {
    int semaphore[8]; /* sem_t, so that its address is the name's entry */
    char name[NAME_SIZE];
    int used, linked;
} named[N_NAMED];

static struct named *find(const char *name) {
    for (int i = 0; i < N_NAMED; i++)
        if (named[i].used && named[i].linked && strcmp(named[i].name, name) == 0) return &named[i];
    return 0;
}
static struct named *make(const char *name, unsigned value) {
    for (int i = 0; i < N_NAMED; i++) {
        if (named[i].used) continue;
        named[i].used = named[i].linked = 1;
        named[i].semaphore[0] = (int)value;
        named[i].semaphore[FLAG] = 1;
        strcpy(named[i].name, name);
        return &named[i];
    }
    __threadproof_unsupported("more than 8 named semaphores");
    return 0;
}

void *sem_open(const char *name, int flags, ...) {
    unsigned value = 0;
    struct named *found;
    (void)&__threadproof_sem_overflow;
    if (flags & CREATE) {
        __builtin_va_list rest;
        __builtin_va_start(rest, flags);
        __builtin_va_arg(rest, unsigned);
        value = __builtin_va_arg(rest, unsigned);
        __builtin_va_end(rest);
    }
    if (strlen(name) >= NAME_SIZE) __threadproof_unsupported("a semaphore's name of more than 31 characters");
    __VERIFIER_atomic_begin();
    found = find(name);
    if (found) {
        if ((flags & CREATE) && (flags & EXCLUSIVE)) { fails(EEXIST_); found = 0; }
    } else if (!(flags & CREATE)) {
        fails(ENOENT_);
    } else if (value > MAX_VALUE) {
        fails(EINVAL_);
    } else {
        found = make(name, value);
    }
    __VERIFIER_atomic_end();
    return found ? found->semaphore : 0;
}
int sem_close(int *semaphore) { return 0; }
int sem_unlink(const char *name) {
    struct named *found;
    int result = 0;
    __VERIFIER_atomic_begin();
    found = find(name);
    if (found) found->linked = 0;
    else result = fails(ENOENT_);
    __VERIFIER_atomic_end();
    return result;
}
