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

enum { EAGAIN_ = 11, ENOMEM_ = 12, EINVAL_ = 22, N_REGISTERED = 8, FIXED = 0x10, ANONYMOUS = 0x20 };

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

int __threadproof_process = 4711;
int getpid(void) { return __threadproof_process; }
int fork(void) {
    (void)&__threadproof_thread_starts;
    (void)&__threadproof_thread_ends;
    if (__threadproof_shares_memory()) __threadproof_unsupported("`fork` of a program that can share memory with its child");
    if (__atomic_load_n(&__threadproof_n_threads, 5) != 1) __threadproof_unsupported("`fork` of a process with several threads");
    for (unsigned i = n_at_fork; i > 0; i--)
        if (at_fork[i - 1].prepare) at_fork[i - 1].prepare();
    int child = __threadproof_process + 1, is_child = __VERIFIER_nondet_bool();
    if (is_child) __threadproof_process = child;
    for (unsigned i = 0; i < n_at_fork; i++) {
        void (*handler)(void) = is_child ? at_fork[i].child : at_fork[i].parent;
        if (handler) handler();
    }
    if (is_child) return 0;
    if (__VERIFIER_nondet_bool()) return child;
    *__errno_location() = EAGAIN_;
    return -1;
}

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
