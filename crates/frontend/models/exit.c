/* Models of the program's end: functions registered for it. Lowering calls `__threadproof_run_…` there. */

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __threadproof_unsupported(const char *);
extern void __threadproof_thread_starts(void);
extern void __threadproof_thread_ends(void);

enum { N_REGISTERED = 32 };

static unsigned n_at_exit;
static struct {
    void (*plain)(void);
    void (*with_status)(int, void *);
    void *argument;
} at_exit[N_REGISTERED];

void __threadproof_run_atexit(int status) {
    while (__atomic_load_n(&n_at_exit, 5) > 0) {
        unsigned last = __atomic_sub_fetch(&n_at_exit, 1, 5);
        void (*plain)(void) = __atomic_load_n(&at_exit[last].plain, 5);
        void (*with_status)(int, void *) = __atomic_load_n(&at_exit[last].with_status, 5);
        if (plain) plain();
        else with_status(status, __atomic_load_n(&at_exit[last].argument, 5));
    }
}
static int register_exit(void (*plain)(void), void (*with_status)(int, void *), void *argument) {
    (void)&__threadproof_run_atexit;
    (void)&__threadproof_thread_starts;
    (void)&__threadproof_thread_ends;
    __VERIFIER_atomic_begin();
    if (n_at_exit == N_REGISTERED) __threadproof_unsupported("more than 32 functions registered by atexit");
    at_exit[n_at_exit].plain = plain;
    at_exit[n_at_exit].with_status = with_status;
    at_exit[n_at_exit].argument = argument;
    n_at_exit++;
    __VERIFIER_atomic_end();
    return 0;
}
int atexit(void (*function)(void)) { return register_exit(function, 0, 0); }
int on_exit(void (*function)(int, void *), void *argument) { return register_exit(0, function, argument); }

static unsigned n_at_quick_exit;
static void (*at_quick_exit_functions[N_REGISTERED])(void);

void __threadproof_run_at_quick_exit(void) {
    while (__atomic_load_n(&n_at_quick_exit, 5) > 0)
        __atomic_load_n(&at_quick_exit_functions[__atomic_sub_fetch(&n_at_quick_exit, 1, 5)], 5)();
}
int at_quick_exit(void (*function)(void)) {
    (void)&__threadproof_run_at_quick_exit;
    __VERIFIER_atomic_begin();
    if (n_at_quick_exit == N_REGISTERED) __threadproof_unsupported("more than 32 functions registered by at_quick_exit");
    at_quick_exit_functions[n_at_quick_exit++] = function;
    __VERIFIER_atomic_end();
    return 0;
}
