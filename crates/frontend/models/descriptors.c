/* Waiting for files, in which the caller learns only what it asked for. Nothing is known of what lies behind a descriptor. */

typedef __typeof__(sizeof(0)) size_t;

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_assume(int);
extern int *__errno_location(void);

enum { N_DESCRIPTORS = 1024, BITS = 8 * sizeof(long), ALWAYS = 0x38 /* POLLERR, POLLHUP, POLLNVAL */ };

static int fails(void) {
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error < 4096);
    *__errno_location() = error;
    return -1;
}

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
        unsigned long left = set[i] & __VERIFIER_nondet_ulong();
        if (n - i * (int)BITS < (int)BITS) left &= (1UL << (n - i * (int)BITS)) - 1;
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
