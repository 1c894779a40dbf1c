/* Models of processes and of memory that the system maps.
 *
 * After `fork` an execution goes on as the parent or as the child, any one of them: what the other does is seen only through what these models
 * leave open. That is exact as long as the two share no memory and the process has one thread.
 */

typedef __typeof__(sizeof(0)) size_t;

extern void __threadproof_unsupported(const char *);
extern void __threadproof_thread_starts(void);
extern void __threadproof_thread_ends(void);
extern int __threadproof_n_threads;
extern int __threadproof_shares_memory(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern int *__errno_location(void);
extern void *__threadproof_zeroed_pages(size_t);

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern int __threadproof_some_int(void);

enum { EPERM_ = 1, ECHILD_ = 10, EAGAIN_ = 11, ENOMEM_ = 12, EINVAL_ = 22, N_CHILDREN = 32, WITHOUT_WAITING = 1, N_REGISTERED = 8, FIXED = 0x10, ANONYMOUS = 0x20 };

/* ---- fork ------------------------------------------------------------------------------------------------------- */

static unsigned n_at_fork;
static struct { void (*prepare)(void), (*parent)(void), (*child)(void); } at_fork[N_REGISTERED];

int pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void)) {
    __VERIFIER_atomic_begin();
    if (n_at_fork == N_REGISTERED) __threadproof_unsupported("more than 8 calls of pthread_atfork");
    at_fork[n_at_fork].prepare = prepare;
    at_fork[n_at_fork].parent = parent;
    at_fork[n_at_fork].child = child;
    n_at_fork++;
    __VERIFIER_atomic_end();
    return 0;
}
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *library) {
    return pthread_atfork(prepare, parent, child);
}

/* A process has numbers larger than its own for its children, in the order in which it makes them; one bit each tells which it has not waited for. */
static unsigned n_children, children;

/* Who runs the program: any numbers, which stay the same unless the program changes them. */
extern unsigned __threadproof_user, __threadproof_effective_user, __threadproof_group, __threadproof_effective_group;
unsigned getuid(void) { return __threadproof_user; }
unsigned geteuid(void) { return __threadproof_effective_user; }
unsigned getgid(void) { return __threadproof_group; }
unsigned getegid(void) { return __threadproof_effective_group; }

/* Only the privileged change the real number, too. */
static int becomes(unsigned *real, unsigned *effective, unsigned number) {
    if (__VERIFIER_nondet_bool()) {
        *__errno_location() = EPERM_;
        return -1;
    }
    *effective = number;
    if (real && __VERIFIER_nondet_bool()) *real = number;
    return 0;
}
int setuid(unsigned number) { return becomes(&__threadproof_user, &__threadproof_effective_user, number); }
int setgid(unsigned number) { return becomes(&__threadproof_group, &__threadproof_effective_group, number); }
int seteuid(unsigned number) { return becomes(0, &__threadproof_effective_user, number); }
int setegid(unsigned number) { return becomes(0, &__threadproof_effective_group, number); }
static int several(void) {
    __threadproof_unsupported("changing several numbers of a user or group at once");
    return -1;
}
int setreuid(unsigned real, unsigned effective) { return several(); }
int setregid(unsigned real, unsigned effective) { return several(); }
int setresuid(unsigned real, unsigned effective, unsigned saved) { return several(); }
int setresgid(unsigned real, unsigned effective, unsigned saved) { return several(); }

int __threadproof_process = 4711;
int getpid(void) { return __threadproof_process; }
int fork(void) {
    (void)&__threadproof_thread_starts;
    (void)&__threadproof_thread_ends;
    if (__threadproof_shares_memory()) __threadproof_unsupported("`fork` of a program that can share memory with its child");
    if (__atomic_load_n(&__threadproof_n_threads, 5) != 1) __threadproof_unsupported("`fork` of a process with several threads");
    for (unsigned i = n_at_fork; i > 0; i--)
        if (at_fork[i - 1].prepare) at_fork[i - 1].prepare();
    if (n_children == N_CHILDREN) __threadproof_unsupported("more than 32 calls of `fork`");
    int child = __threadproof_process + 1 + (int)n_children, is_child = __VERIFIER_nondet_bool();
    if (is_child) {
        __threadproof_process = child;
        n_children = children = 0;
    }
    for (unsigned i = 0; i < n_at_fork; i++) {
        void (*handler)(void) = is_child ? at_fork[i].child : at_fork[i].parent;
        if (handler) handler();
    }
    if (is_child) return 0;
    if (__VERIFIER_nondet_bool()) {
        children |= 1u << n_children++;
        return child;
    }
    *__errno_location() = EAGAIN_;
    return -1;
}

/* How a child ended depends on what it did, of which its parent's execution knows nothing. Several threads may wait at the same time. */
int waitpid(int process, int *status, int options) {
    __VERIFIER_atomic_begin();
    unsigned n = (unsigned)(process - __threadproof_process - 1), candidates = children;
    if (process == 0 || process < -1) __threadproof_unsupported("waiting for a group of processes");
    if (process > 0) candidates &= n < N_CHILDREN ? 1u << n : 0;
    int result = 0;
    if (!candidates) {
        *__errno_location() = ECHILD_;
        result = -1;
    } else if (!(options & WITHOUT_WAITING) || __VERIFIER_nondet_bool()) {
        n = (unsigned)__VERIFIER_nondet_int();
        __VERIFIER_assume(n < N_CHILDREN && candidates >> n & 1);
        children &= ~(1u << n);
        result = __threadproof_process + 1 + (int)n;
    }
    __VERIFIER_atomic_end();
    if (result > 0 && status) *status = __threadproof_some_int() & 0xffff;
    return result;
}
int wait(int *status) { return waitpid(-1, status, 0); }

/* ---- mapped memory: zeros, or what is in some file -------------------------------------------------------------- */

void *mmap(void *wish, size_t size, int protection, int flags, int file, long offset) {
    if (flags & FIXED) __threadproof_unsupported("`mmap` at a fixed address");
    if (size == 0 || __VERIFIER_nondet_bool()) {
        *__errno_location() = size ? ENOMEM_ : EINVAL_;
        return (void *)-1;
    }
    char *memory = __threadproof_zeroed_pages(size);
    if (flags & ANONYMOUS) return memory;
    for (size_t i = 0; i < size; i++) memory[i] = __VERIFIER_nondet_char();
    return memory;
}
void *mmap64(void *wish, size_t size, int protection, int flags, int file, long long offset) {
    return mmap(wish, size, protection, flags, file, (long)offset);
}
/* What was unmapped is not used any more. */
int munmap(void *memory, size_t size) {
    if (size > 0 && ((size_t)memory & 4095) == 0) return 0;
    *__errno_location() = EINVAL_;
    return -1;
}
