/* Descriptors of files: which numbers are in use, and waiting for files, in which the caller learns only what it asked for. Nothing is known of what
 * lies behind a descriptor. Where channels between threads are made, channels.c stands in for this.
 *
 * A new descriptor is any number below 64 that the program did not get before without closing it. Those of streams, and those that
 * functions without a model here return, are not looked after: they may be the same number.
 */

typedef __typeof__(sizeof(0)) size_t;

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern long __read(int, void *, size_t);
extern long __write(int, const void *, size_t);
extern void __VERIFIER_assume(int);
extern int *__errno_location(void);
extern int __threadproof_looks_at_errno(void);
extern void __threadproof_unsupported(const char *);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

enum { EBADF_ = 9, EINVAL_ = 22, N_TRACKED = 64, N_DESCRIPTORS = 1024, BITS = 8 * sizeof(long), ALWAYS = 0x38 /* POLLERR, POLLHUP, POLLNVAL */ };

static int fails(void) {
    int error = 5;
    if (__threadproof_looks_at_errno()) {
        error = __VERIFIER_nondet_int();
        __VERIFIER_assume(error > 0 && error < 4096);
    }
    *__errno_location() = error;
    return -1;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static unsigned long long in_use = 7;

int __threadproof_new_descriptor(void) {
    __VERIFIER_atomic_begin();
    int file = __VERIFIER_nondet_int();
    if (!~in_use) __threadproof_unsupported("more than 64 descriptors");
    __VERIFIER_assume(file >= 0 && file < N_TRACKED && !(in_use >> file & 1));
    in_use |= 1ULL << file;
    __VERIFIER_atomic_end();
    return file;
}
static int invalid(void) {
    *__errno_location() = EBADF_;
    return -1;
}
int dup(int file) {
    if (file < 0) return invalid();
    return __VERIFIER_nondet_bool() ? fails() : __threadproof_new_descriptor();
}
int dup2(int file, int other) {
    if (file < 0 || other < 0) return invalid();
    if (__VERIFIER_nondet_bool()) return fails();
    __VERIFIER_atomic_begin();
    if (other < N_TRACKED) in_use |= 1ULL << other;
    __VERIFIER_atomic_end();
    return other;
}
static int pair(int *files) {
    if (__VERIFIER_nondet_bool()) return fails();
    files[0] = __threadproof_new_descriptor();
    files[1] = __threadproof_new_descriptor();
    return 0;
}
int pipe(int *files) { return pair(files); }
int pipe2(int *files, int flags) { return pair(files); }
int socketpair(int domain, int type, int protocol, int *files) { return pair(files); }
int eventfd(unsigned count, int flags) { return __VERIFIER_nondet_bool() ? fails() : __threadproof_new_descriptor(); }

/* A descriptor is closed even if an error is reported, as on Linux. */
int close(int file) {
    if (file < 0) return invalid();
    __VERIFIER_atomic_begin();
    if (file < N_TRACKED) in_use &= ~(1ULL << file);
    __VERIFIER_atomic_end();
    return __VERIFIER_nondet_bool() ? fails() : 0;
}

/* ---- reading and writing several parts ------------------------------------------------------------------------------------- */

struct iovec { void *start; size_t size; };
long readv(int file, const struct iovec *parts, int n) {
    long sum = 0;
    if (n < 0 || n > 1024) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    for (int i = 0; i < n; i++) {
        long count = __read(file, parts[i].start, parts[i].size);
        if (count < 0) return sum ? sum : -1;
        sum += count;
        if ((size_t)count < parts[i].size) break;
    }
    return sum;
}
long writev(int file, const struct iovec *parts, int n) {
    long sum = 0;
    if (n < 0 || n > 1024) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    for (int i = 0; i < n; i++) {
        long count = __write(file, parts[i].start, parts[i].size);
        if (count < 0) return sum ? sum : -1;
        sum += count;
        if ((size_t)count < parts[i].size) break;
    }
    return sum;
}

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

struct pollfd { int descriptor; short events, happened; };
int poll(struct pollfd *list, unsigned long n, int timeout) {
    int ready = 0;
    if (__VERIFIER_nondet_bool()) return fails();
    for (unsigned long i = 0; i < n; i++) {
        short asked = (short)(list[i].events | ALWAYS);
        list[i].happened = list[i].descriptor < 0 ? 0 : (short)(__VERIFIER_nondet_int() & asked);
        if (list[i].happened) ready++;
    }
    __VERIFIER_assume(timeout >= 0 || ready > 0);
    return ready;
}
int ppoll(struct pollfd *list, unsigned long n, const void *timeout, const void *mask) { return poll(list, n, timeout ? 0 : -1); }

/* Of the descriptors below `n` in a set, some stay; the set has a word for every 32 or 64 of them. */
static int keep_some(unsigned long *set, int n) {
    int kept = 0;
    if (!set) return 0;
    for (int i = 0; i * (int)BITS < n && i < N_DESCRIPTORS / (int)BITS; i++) {
        unsigned long left = set[i];
        if (n - i * (int)BITS < (int)BITS) left &= (1UL << (n - i * (int)BITS)) - 1;
        for (unsigned long rest = left; rest; rest &= rest - 1)
            if (__VERIFIER_nondet_bool()) left &= ~(rest & -rest);
        set[i] = left;
        kept += __builtin_popcountl(left);
    }
    return kept;
}
static int wait_for(int n, unsigned long *reading, unsigned long *writing, unsigned long *failing, int forever) {
    if (__VERIFIER_nondet_bool()) return fails();
    int ready = keep_some(reading, n) + keep_some(writing, n) + keep_some(failing, n);
    __VERIFIER_assume(ready > 0 || !forever);
    return ready;
}
int select(int n, unsigned long *reading, unsigned long *writing, unsigned long *failing, void *timeout) {
    return wait_for(n, reading, writing, failing, !timeout);
}
int pselect(int n, unsigned long *reading, unsigned long *writing, unsigned long *failing, const void *timeout, const void *mask) {
    return wait_for(n, reading, writing, failing, !timeout);
}
