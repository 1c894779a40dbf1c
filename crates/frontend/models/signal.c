/* Models of signals.
 *
 * A handler runs on top of the thread that it interrupts. Lowering offers that before every visible action of the program's own
 * functions (src/lower/signals.rs) by calling `__threadproof_deliver`. Once a handler is installed, its signal may come from
 * outside at any time, any number of times; signals that only faults raise are excepted. Who *waits* for a signal (`sigwait`,
 * `pause`) relies on those that the program itself sends, if it sends any.
 *
 * The environment's signals are no way out of a deadlock, unless the program sends none itself.
 */

typedef unsigned long handle_t;
typedef unsigned long long set_t; /* of signals: bit s - 1 */
typedef void (*handler_t)(int);

extern void __threadproof_unsupported(const char *);
extern void __threadproof_step_begin(void);
extern void __threadproof_step_end(void);
extern void __threadproof_guard(int);
extern void __threadproof_wait_begin(void *);
extern void __threadproof_wait_end(int timed);
extern int __threadproof_sends_signals(void);
extern int __threadproof_signals_are_finite(void);
extern unsigned __threadproof_signals_left; /* any number at first */
extern int __threadproof_cancel_requested(void);
extern void __threadproof_test_cancel(void);
extern void __threadproof_thread_starts(void);
extern void __threadproof_thread_ends(void);
extern int __threadproof_n_threads;
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern handle_t pthread_self(void);
extern int pthread_cond_broadcast(void *);
extern int *__errno_location(void);
extern int getpid(void);
extern void _exit(int);

enum {
    EINTR_ = 4, EAGAIN_ = 11, EINVAL_ = 22, N_SIGNALS = 64, N_THREADS = 64, N_ACTIONS = 8,
    SIGILL_ = 4, SIGTRAP_ = 5, SIGABRT_ = 6, SIGBUS_ = 7, SIGFPE_ = 8, SIGKILL_ = 9, SIGSEGV_ = 11, SIGALRM_ = 14,
    SIGCHLD_ = 17, SIGCONT_ = 18, SIGSTOP_ = 19, SIGTSTP_ = 20, SIGTTIN_ = 21, SIGTTOU_ = 22, SIGURG_ = 23,
    SIGWINCH_ = 28, SIGSYS_ = 31,
};
enum { RESTART = 0x10000000, NO_DEFER = 0x40000000, RESET = (int)0x80000000, WITH_INFO = 4 };

enum { FAULTS = 0x400004f8, UNBLOCKABLE = 0x40100 }; /* as sets: of the seven raised by faults; KILL and STOP */

static _Atomic int n_actions;
static struct {
    _Atomic int signal;
    _Atomic handler_t handler; /* 0: default, 1: ignored */
    _Atomic set_t mask;
    _Atomic int flags;
} action[N_ACTIONS];

_Atomic set_t __threadproof_installed;         /* have a handler that may run at any time */
_Atomic set_t __threadproof_blocked[N_THREADS]; /* a new thread has its creator's */
_Atomic set_t __threadproof_pending[N_THREADS];
_Atomic set_t __threadproof_pending_anywhere;
char __threadproof_arrival; /* signalled whenever a signal is sent, or a thread is cancelled */

static set_t bit(int signal) { return 1ULL << (signal - 1); }

static int find(int signal) {
    for (int i = 0; i < n_actions; i++)
        if (action[i].signal == signal) return i;
    return -1;
}
static handler_t handler_of(int signal) {
    int at = find(signal);
    return at < 0 ? 0 : action[at].handler;
}

/* ---- what a signal does to the thread that gets it ------------------------------------------------------------- */

static int ignored_by_default(int signal) {
    return signal == SIGCHLD_ || signal == SIGCONT_ || signal == SIGURG_ || signal == SIGWINCH_;
}
static void act_by_default(int signal) {
    if (ignored_by_default(signal)) return;
    if (signal >= SIGSTOP_ && signal <= SIGTTOU_) __threadproof_unsupported("a signal that stops the program");
    _exit(128 + signal);
}

/* What a handler learns of the one who sent a signal: of those that the program sends how, and with which value; those that come from outside may be anything. A pending signal has the last one's. */
enum { BY_KILL = 0, BY_KERNEL = 0x80, BY_QUEUE = -1, BY_THREAD = -6 };
union sigval { int number; void *pointer; };
static int sent_how[N_SIGNALS + 1];
static union sigval sent_value[N_SIGNALS + 1];

static void note_sent(int signal, int how, const union sigval *value) {
    int at = find(signal);
    if (at < 0 || !(action[at].flags & WITH_INFO)) return;
    __VERIFIER_atomic_begin();
    sent_how[signal] = how;
    if (value) sent_value[signal] = *value;
    __VERIFIER_atomic_end();
}
static void describe(int *info, int signal, int is_sent) {
    enum { PROCESS_AT = sizeof(void *) == 4 ? 3 : 4, VALUE_AT = PROCESS_AT + 2 };
    info[0] = signal;
    info[1] = 0;
    if (!is_sent) return; /* all else is indeterminate */
    __VERIFIER_atomic_begin();
    info[2] = sent_how[signal];
    info[PROCESS_AT] = getpid();
    *(union sigval *)&info[VALUE_AT] = sent_value[signal];
    __VERIFIER_atomic_end();
}

/* Returns whether an interrupted call is restarted. What happens before and after the handler is one step: nobody can look in between. */
static int dispatch(int signal, int is_sent) {
    handle_t self = pthread_self();
    int flags = 0;
    set_t old = 0;
    __VERIFIER_atomic_begin();
    int at = find(signal);
    handler_t handler = at < 0 ? 0 : action[at].handler;
    if (handler && handler != (handler_t)1) {
        flags = action[at].flags;
        old = __threadproof_blocked[self];
        __threadproof_blocked[self] = old | action[at].mask | (flags & NO_DEFER ? 0 : bit(signal));
        if (flags & RESET) {
            action[at].handler = 0;
            __threadproof_installed &= ~bit(signal);
        }
    }
    __VERIFIER_atomic_end();
    if (handler == (handler_t)1) return 1;
    if (!handler) {
        act_by_default(signal);
        return 1;
    }
    if (flags & WITH_INFO) {
        _Alignas(8) int info[32];
        int context[256];
        describe(info, signal, is_sent);
        ((void (*)(int, void *, void *))handler)(signal, info, context);
    } else {
        handler(signal);
    }
    __threadproof_blocked[self] = old;
    return (flags & RESTART) != 0;
}

static set_t pending(void) { return __threadproof_pending[pthread_self()] | __threadproof_pending_anywhere; }
static set_t unblocked(set_t signals) { return signals & ~__threadproof_blocked[pthread_self()]; }

static void no_longer_pending(int signal) {
    handle_t self = pthread_self();
    if (__threadproof_pending[self] & bit(signal)) __threadproof_pending[self] &= ~bit(signal);
    else __threadproof_pending_anywhere &= ~bit(signal);
}

/* Those that can come from outside now. Where it matters whether the program ends, they come finitely often. */
static set_t from_outside(void) {
    if (__threadproof_signals_are_finite() && __atomic_load_n(&__threadproof_signals_left, 5) == 0) return 0;
    return __threadproof_installed;
}

/* Takes one of some signals, if it can be delivered now: any one, or the first; 0 if there is none. */
static int take_ready(set_t signals, int any, int *is_sent) {
    int signal = 0;
    __VERIFIER_atomic_begin();
    set_t ready = unblocked(signals | pending());
    while (any && (ready & (ready - 1)) && __VERIFIER_nondet_bool()) ready &= ready - 1;
    if (ready) {
        signal = __builtin_ctzll(ready) + 1;
        *is_sent = (pending() & bit(signal)) != 0;
        if (__threadproof_signals_are_finite() && !*is_sent) __threadproof_signals_left--;
        no_longer_pending(signal);
    }
    __VERIFIER_atomic_end();
    return signal;
}

/* Delivers one of the signals that can be delivered now, any one. */
int __threadproof_deliver(void) {
    int is_sent = 0, signal = take_ready(from_outside(), 1, &is_sent);
    return signal ? dispatch(signal, is_sent) : 1;
}
static void deliver_pending(void) {
    int signal, is_sent = 0;
    while ((signal = take_ready(0, 0, &is_sent))) dispatch(signal, is_sent);
}

/* What `sigsetjmp` saves and `siglongjmp` restores. */
set_t __threadproof_saved_mask(void) { return __threadproof_blocked[pthread_self()]; }
void __threadproof_restore_mask(set_t mask) {
    __threadproof_blocked[pthread_self()] = mask;
    deliver_pending();
}

/* ---- installing handlers --------------------------------------------------------------------------------------- */

void __threadproof_abort(void) {
    handler_t handler = handler_of(SIGABRT_);
    if (handler && handler != (handler_t)1) dispatch(SIGABRT_, 0);
}

static int is_valid(int signal) { return signal >= 1 && signal <= N_SIGNALS && signal != SIGKILL_ && signal != SIGSTOP_; }

static int fails(int error) {
    *__errno_location() = error;
    return -1;
}

static handler_t install(int signal, handler_t handler, set_t mask, int flags) {
    extern int __threadproof_sem_wait(int *);
    extern int __threadproof_interrupted(void);
    int at;
    handler_t old;
    (void)&__threadproof_deliver;
    (void)&__threadproof_abort;
    (void)&__threadproof_saved_mask;
    (void)&__threadproof_restore_mask;
    (void)&__threadproof_sem_wait;
    (void)&__threadproof_interrupted;
    __VERIFIER_atomic_begin();
    at = find(signal);
    if (at < 0) {
        at = n_actions;
        if (at == N_ACTIONS) __threadproof_unsupported("handlers of more than 8 signals");
        n_actions = at + 1;
        action[at].signal = signal;
    }
    old = action[at].handler;
    action[at].handler = handler;
    action[at].mask = mask;
    action[at].flags = flags;
    if (handler != 0 && handler != (handler_t)1) __threadproof_installed |= bit(signal) & ~(set_t)FAULTS;
    else __threadproof_installed &= ~bit(signal);
    __VERIFIER_atomic_end();
    return old;
}

handler_t signal(int signal, handler_t handler) {
    if (!is_valid(signal)) {
        fails(EINVAL_);
        return (handler_t)-1;
    }
    return install(signal, handler, 0, RESTART);
}
handler_t bsd_signal(int number, handler_t handler) { return signal(number, handler); }
handler_t __sysv_signal(int signal, handler_t handler) {
    if (!is_valid(signal)) {
        fails(EINVAL_);
        return (handler_t)-1;
    }
    return install(signal, handler, 0, RESET | NO_DEFER);
}
handler_t sysv_signal(int signal, handler_t handler) { return __sysv_signal(signal, handler); }

static set_t get(const unsigned *set) { return set[0] | (set_t)set[1] << 32; }
static void put(unsigned *set, set_t value) { set[0] = (unsigned)value; set[1] = (unsigned)(value >> 32); }

/* A `struct sigaction` is the handler, the set of 128 bytes, and the flags. */
int sigaction(int signal, const void *new, void *old) {
    enum { MASK_AT = sizeof(void *), FLAGS_AT = sizeof(void *) + 128 };
    int at = find(signal);
    if (!is_valid(signal)) return fails(EINVAL_);
    handler_t old_handler = at < 0 ? 0 : action[at].handler;
    set_t old_mask = at < 0 ? 0 : action[at].mask;
    int old_flags = at < 0 ? 0 : action[at].flags;
    if (new) {
        handler_t handler = *(const handler_t *)new;
        set_t mask = get((const unsigned *)((const char *)new + MASK_AT)) & ~(set_t)UNBLOCKABLE;
        install(signal, handler, mask, *(const int *)((const char *)new + FLAGS_AT));
    }
    if (old) {
        *(handler_t *)old = old_handler;
        put((unsigned *)((char *)old + MASK_AT), old_mask);
        *(int *)((char *)old + FLAGS_AT) = old_flags;
    }
    return 0;
}
int siginterrupt(int signal, int interrupts) {
    int at = find(signal);
    if (!is_valid(signal)) return fails(EINVAL_);
    if (at >= 0) action[at].flags = interrupts ? action[at].flags & ~RESTART : action[at].flags | RESTART;
    return 0;
}

/* ---- sets and masks ---------------------------------------------------------------------------------------------- */

int sigemptyset(unsigned *set) { put(set, 0); return 0; }
int sigfillset(unsigned *set) { put(set, ~0ULL); return 0; }
int sigaddset(unsigned *set, int signal) {
    if (signal < 1 || signal > N_SIGNALS) return fails(EINVAL_);
    put(set, get(set) | bit(signal));
    return 0;
}
int sigdelset(unsigned *set, int signal) {
    if (signal < 1 || signal > N_SIGNALS) return fails(EINVAL_);
    put(set, get(set) & ~bit(signal));
    return 0;
}
int sigismember(const unsigned *set, int signal) {
    if (signal < 1 || signal > N_SIGNALS) return fails(EINVAL_);
    return (get(set) & bit(signal)) != 0;
}
int sigisemptyset(const unsigned *set) { return get(set) == 0; }

int pthread_sigmask(int how, const unsigned *new, unsigned *old) {
    handle_t self = pthread_self();
    set_t before = __threadproof_blocked[self]; /* written by this thread only */
    if (new) {
        set_t given = get(new) & ~(set_t)UNBLOCKABLE;
        if (how < 0 || how > 2) return EINVAL_;
        __threadproof_blocked[self] = how == 0 ? before | given : how == 1 ? before & ~given : given;
    }
    if (old) put(old, before);
    deliver_pending();
    return 0;
}
int sigprocmask(int how, const unsigned *new, unsigned *old) {
    int error = pthread_sigmask(how, new, old);
    return error ? fails(error) : 0;
}
int sigpending(unsigned *set) {
    put(set, pending());
    return 0;
}

/* ---- sending ----------------------------------------------------------------------------------------------------- */

static void send_to_itself(int signal) {
    handle_t self = pthread_self();
    if (__threadproof_blocked[self] & bit(signal)) __threadproof_pending[self] |= bit(signal);
    else dispatch(signal, 1);
}
/* Whether a signal to others can be forgotten at once; one that ends the program may do so now or later. */
static int is_ignored(int signal) {
    handler_t handler = handler_of(signal);
    if (handler == (handler_t)1) return 1;
    if (handler) return 0;
    if (ignored_by_default(signal)) return 1;
    if (__VERIFIER_nondet_bool()) act_by_default(signal);
    return 0;
}
int raise(int signal) {
    if (signal < 0 || signal > N_SIGNALS) return fails(EINVAL_);
    if (!signal) return 0;
    note_sent(signal, BY_THREAD, 0);
    send_to_itself(signal);
    return 0;
}
static int send_to(handle_t thread, int signal, int how, const union sigval *value) {
    if (signal < 0 || signal > N_SIGNALS) return EINVAL_;
    if (signal == 0) return 0;
    note_sent(signal, how, value);
    if (thread == pthread_self()) {
        send_to_itself(signal);
        return 0;
    }
    if (thread >= N_THREADS) __threadproof_unsupported("signals to more than 63 threads");
    __VERIFIER_atomic_begin();
    if ((__threadproof_blocked[thread] & bit(signal)) || !is_ignored(signal)) {
        __threadproof_pending[thread] |= bit(signal);
        pthread_cond_broadcast(&__threadproof_arrival);
    }
    __VERIFIER_atomic_end();
    return 0;
}
int pthread_kill(handle_t thread, int signal) { return send_to(thread, signal, BY_THREAD, 0); }
int pthread_sigqueue(handle_t thread, int signal, union sigval value) { return send_to(thread, signal, BY_QUEUE, &value); }

static void send_to_process(int signal) {
    (void)&__threadproof_thread_starts;
    (void)&__threadproof_thread_ends;
    set_t mine = __threadproof_blocked[pthread_self()] & bit(signal);
    if (!mine && (__atomic_load_n(&__threadproof_n_threads, 5) == 1 || __VERIFIER_nondet_bool())) {
        dispatch(signal, 1);
        return;
    }
    if (!mine && is_ignored(signal)) return;
    __threadproof_pending_anywhere |= bit(signal);
    pthread_cond_broadcast(&__threadproof_arrival);
}
static int send_to_some(int process, int signal, int how, const union sigval *value) {
    if (signal < 0 || signal > N_SIGNALS) return fails(EINVAL_);
    if (process != getpid() && process != 0) return __VERIFIER_nondet_bool() ? 0 : -1;
    if (!signal) return 0;
    note_sent(signal, how, value);
    send_to_process(signal);
    return 0;
}
int kill(int process, int signal) { return send_to_some(process, signal, BY_KILL, 0); }
unsigned alarm(unsigned seconds) {
    unsigned left = 0;
    if (__threadproof_pending_anywhere & bit(SIGALRM_)) {
        left = __VERIFIER_nondet_bool();
        __threadproof_pending_anywhere &= ~bit(SIGALRM_);
    }
    if (seconds) note_sent(SIGALRM_, BY_KERNEL, 0);
    if (seconds && !is_ignored(SIGALRM_)) {
        __threadproof_pending_anywhere |= bit(SIGALRM_);
        pthread_cond_broadcast(&__threadproof_arrival);
    }
    return left;
}

struct itimerval { long interval_seconds, interval_microseconds, seconds, microseconds; };
/* The timer of real time sends SIGALRM once; those of processor time may, too. */
int setitimer(int which, const struct itimerval *new, struct itimerval *old) {
    if (which < 0 || which > 2) return fails(EINVAL_);
    if (which != 0) __threadproof_unsupported("timers of processor time");
    if (old) {
        old->interval_seconds = old->interval_microseconds = old->microseconds = 0;
        old->seconds = __threadproof_pending_anywhere & bit(SIGALRM_) ? __VERIFIER_nondet_bool() : 0;
    }
    if (new) {
        if (new->interval_seconds || new->interval_microseconds) __threadproof_unsupported("a periodic timer");
        alarm(new->seconds || new->microseconds);
    }
    return 0;
}
int sigqueue(int process, int signal, union sigval value) { return send_to_some(process, signal, BY_QUEUE, &value); }
int killpg(int group, int signal) { return kill(group == getpid() ? 0 : group, signal); }

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

static void await(set_t signals) {
    __threadproof_wait_begin(&__threadproof_arrival);
    if (!__threadproof_sends_signals() || (pending() & signals) || __threadproof_cancel_requested()) __threadproof_wait_end(1);
    else __threadproof_wait_end(0);
    __threadproof_test_cancel();
}

/* Waits until a handler has run. */
static void await_handler(void) {
    for (;;) {
        set_t mine = ~__threadproof_blocked[pthread_self()];
        if (!(pending() & mine)) await(mine);
        set_t ready = unblocked(from_outside() | pending());
        if (ready) {
            __threadproof_deliver();
            return;
        }
    }
}
int pause(void) {
    await_handler();
    return fails(EINTR_);
}
int sigsuspend(const unsigned *mask) {
    handle_t self = pthread_self();
    set_t old = __threadproof_blocked[self];
    __threadproof_blocked[self] = get(mask) & ~(set_t)UNBLOCKABLE;
    await_handler();
    __threadproof_blocked[self] = old;
    return fails(EINTR_);
}

/* Accepts one of the signals that are pending; 0 if there is none. */
static int take(set_t signals) {
    int signal = 0;
    __VERIFIER_atomic_begin();
    signals &= pending();
    if (signals) {
        signal = __builtin_ctzll(signals) + 1;
        no_longer_pending(signal);
    }
    __VERIFIER_atomic_end();
    return signal;
}
static int any(set_t signals) {
    while (signals & (signals - 1) && __VERIFIER_nondet_bool()) signals &= signals - 1;
    return __builtin_ctzll(signals) + 1;
}
static int accept_signal(set_t signals) {
    for (;;) {
        int signal = take(signals);
        if (signal) return signal;
        if (signals && !__threadproof_sends_signals()) return any(signals);
        await(signals);
    }
}
int sigwait(const unsigned *set, int *signal) { *signal = accept_signal(get(set)); return 0; }
int sigwaitinfo(const unsigned *set, int *info) {
    int signal = accept_signal(get(set));
    if (info) info[0] = signal;
    return signal;
}
int sigtimedwait(const unsigned *set, int *info, const void *time) {
    int signal = take(get(set));
    if (!signal) return fails(EAGAIN_);
    if (info) info[0] = signal;
    return signal;
}

/* ---- calls that a handler interrupts ----------------------------------------------------------------------------- */

int __threadproof_interrupted(void) {
    if (!unblocked(from_outside() | pending()) || !__VERIFIER_nondet_bool()) return 0;
    __threadproof_deliver();
    return fails(EINTR_);
}
int __threadproof_sem_wait(int *semaphore) {
    handle_t self = pthread_self();
    set_t outside = __threadproof_sends_signals() ? 0 : ~0ULL;
    for (;;) {
        __threadproof_test_cancel();
        if (unblocked(from_outside()) && __VERIFIER_nondet_bool() && !__threadproof_deliver()) return fails(EINTR_);
        unsigned value, positive, requested; /* no signed arithmetic in a step, where it may be checked */
        __threadproof_step_begin();
        requested = __threadproof_cancel_requested();
        value = __atomic_load_n((unsigned *)semaphore, 5);
        positive = ((int)value > 0) & !requested;
        set_t ready = __threadproof_pending[self] | __threadproof_pending_anywhere | (__threadproof_installed & outside);
        __threadproof_guard(positive | requested | ((ready & ~__threadproof_blocked[self]) != 0));
        __atomic_store_n((unsigned *)semaphore, value - positive, 5);
        __threadproof_step_end();
        if (positive) return 0;
        if (!requested && !__threadproof_deliver()) return fails(EINTR_);
    }
}
