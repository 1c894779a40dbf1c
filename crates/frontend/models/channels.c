/* Channels: pipes, pairs of sockets, and `eventfd`, which threads of one program use to wait for each other.
 *
 * This replaces descriptors.c in a program that makes a channel and does not fork: what is written to one end is what the other end reads, a reader of
 * an empty channel waits, and finds the end once nobody can write any more. All other descriptors are as there: nothing is known of what lies behind them.
 *
 * A new descriptor is the lowest number that is free. Making a channel does not fail.
 *
 * Bytes go through a buffer of the caller's, so that the program's memory is accessed outside of atomic sections, plainly, while a write of few bytes is one step.
 */

typedef __typeof__(sizeof(0)) size_t;
typedef unsigned long long word_t;

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern int *__errno_location(void);
extern void __threadproof_unsupported(const char *);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __threadproof_step_begin(void);
extern void __threadproof_step_end(void);
extern void __threadproof_guard(int);
extern void __threadproof_wait_begin(void *);
extern void __threadproof_wait_end(int timed);
extern int __threadproof_cancel_requested(void);
extern void __threadproof_test_cancel(void);
extern int pthread_cond_broadcast(void *);
extern long __read(int, void *, size_t);
extern long __write(int, const void *, size_t);

enum { EBADF_ = 9, EAGAIN_ = 11, EINVAL_ = 22 };
enum { N_FILES = 64, N_CHANNELS = 8, CAPACITY = 64, NON_BLOCKING = 04000, EVENT_SEMAPHORE = 1, OUTSIDE = -1, INVALID = -2 };
enum { POLL_IN = 1, POLL_OUT = 4, POLL_ERR = 8, POLL_HUP = 16, POLL_NVAL = 32, BITS = 8 * sizeof(long), N_DESCRIPTORS = 1024 };

/* `in` and `out` are numbers of channels + 1, or 0. */
static struct { unsigned char in, out, is_non_blocking; } file[N_FILES];
static unsigned long long in_use = 7;
static struct channel {
    unsigned count, readers, writers, is_event, is_semaphore;
    word_t value; /* of an event */
    unsigned char data[CAPACITY];
} channel[N_CHANNELS];
static int n_channels;
static char change; /* signalled whenever a channel changes */

static int fails(int error) {
    *__errno_location() = error;
    return -1;
}

/* ---- numbers; all in atomic sections ------------------------------------------------------------------------------ */

static int lowest_free(void) {
    if (!~in_use) __threadproof_unsupported("more than 64 descriptors");
    int lowest = __builtin_ctzll(~in_use);
    in_use |= 1ULL << lowest;
    return lowest;
}
static void attach(int at, int in, int out, int flags) {
    file[at].in = (unsigned char)in;
    file[at].out = (unsigned char)out;
    file[at].is_non_blocking = (flags & NON_BLOCKING) != 0;
    if (in) channel[in - 1].readers++;
    if (out) channel[out - 1].writers++;
}
static void detach(int at) {
    if (file[at].in) channel[file[at].in - 1].readers--;
    if (file[at].out) channel[file[at].out - 1].writers--;
    file[at].in = file[at].out = 0;
    in_use &= ~(1ULL << at);
}
static int new_channel(void) {
    if (n_channels == N_CHANNELS) __threadproof_unsupported("more than 8 channels");
    return ++n_channels;
}

int __threadproof_new_descriptor(void) {
    __VERIFIER_atomic_begin();
    int result = lowest_free();
    __VERIFIER_atomic_end();
    return result;
}
int pipe2(int *files, int flags) {
    __VERIFIER_atomic_begin();
    int between = new_channel(), in = lowest_free(), out = lowest_free();
    attach(in, between, 0, flags);
    attach(out, 0, between, flags);
    __VERIFIER_atomic_end();
    files[0] = in;
    files[1] = out;
    return 0;
}
int pipe(int *files) { return pipe2(files, 0); }
int socketpair(int domain, int type, int protocol, int *files) {
    if ((type & 15) != 1) __threadproof_unsupported("a pair of sockets that is no stream");
    __VERIFIER_atomic_begin();
    int there = new_channel(), back = new_channel(), one = lowest_free(), other = lowest_free();
    attach(one, back, there, type);
    attach(other, there, back, type);
    __VERIFIER_atomic_end();
    files[0] = one;
    files[1] = other;
    return 0;
}
int eventfd(unsigned value, int flags) {
    __VERIFIER_atomic_begin();
    int number = new_channel(), at = lowest_free();
    channel[number - 1].is_event = 1;
    channel[number - 1].is_semaphore = (flags & EVENT_SEMAPHORE) != 0;
    channel[number - 1].value = value;
    attach(at, number, number, flags);
    __VERIFIER_atomic_end();
    return at;
}
int dup(int at) {
    if (at < 0) return fails(EBADF_);
    __VERIFIER_atomic_begin();
    int result = lowest_free();
    if (at < N_FILES) attach(result, file[at].in, file[at].out, file[at].is_non_blocking ? NON_BLOCKING : 0);
    __VERIFIER_atomic_end();
    return result;
}
int dup2(int at, int other) {
    if (at < 0 || other < 0) return fails(EBADF_);
    if (at == other) return other;
    if (at >= N_FILES || other >= N_FILES) __threadproof_unsupported("descriptors above 63");
    __VERIFIER_atomic_begin();
    detach(other);
    in_use |= 1ULL << other;
    attach(other, file[at].in, file[at].out, file[at].is_non_blocking ? NON_BLOCKING : 0);
    __VERIFIER_atomic_end();
    pthread_cond_broadcast(&change);
    return other;
}
int close(int at) {
    if (at < 0) return fails(EBADF_);
    __VERIFIER_atomic_begin();
    int is_open = at >= N_FILES || in_use >> at & 1;
    if (at < N_FILES && is_open) detach(at);
    __VERIFIER_atomic_end();
    if (!is_open) return fails(EBADF_);
    pthread_cond_broadcast(&change);
    return 0;
}
int fcntl(int at, int command, ...) {
    __builtin_va_list arguments;
    if (at < 0 || at >= N_FILES || !(file[at].in | file[at].out)) __threadproof_unsupported("`fcntl` of a file, in a program with pipes or the like");
    if (command == 1 || command == 2) return 0;
    if (command == 3) return (file[at].in && file[at].out ? 2 : file[at].out != 0) | (file[at].is_non_blocking ? NON_BLOCKING : 0);
    if (command != 4) __threadproof_unsupported("this command of `fcntl`");
    __builtin_va_start(arguments, command);
    int flags = __builtin_va_arg(arguments, int);
    __builtin_va_end(arguments);
    __VERIFIER_atomic_begin();
    file[at].is_non_blocking = (flags & NON_BLOCKING) != 0;
    __VERIFIER_atomic_end();
    return 0;
}
int fcntl64(int at, int command, int flags) { return fcntl(at, command, flags); }

/* ---- reading and writing ------------------------------------------------------------------------------------------ */

/* The number of the channel that a descriptor reads or writes. */
static int channel_of(int at, int writes, int *is_non_blocking) {
    int result;
    *is_non_blocking = 0;
    if (at < 0) return INVALID;
    if (at >= N_FILES) return OUTSIDE;
    __VERIFIER_atomic_begin();
    int number = writes ? file[at].out : file[at].in;
    if (number) result = number - 1;
    else result = file[at].in || file[at].out || !(in_use >> at & 1) ? INVALID : OUTSIDE;
    *is_non_blocking = file[at].is_non_blocking;
    __VERIFIER_atomic_end();
    return result;
}
static int has_input(int at) { return channel[at].is_event ? channel[at].value != 0 : channel[at].count != 0 || channel[at].writers == 0; }

/* Waits until there is input, or until nobody can write any more. */
static void await_input(int at) {
    unsigned requested;
    __threadproof_step_begin();
    requested = __threadproof_cancel_requested();
    unsigned ready = (__atomic_load_n(&channel[at].count, 5) != 0) | (__atomic_load_n(&channel[at].value, 5) != 0)
        | (__atomic_load_n(&channel[at].writers, 5) == 0);
    __threadproof_guard(ready | requested);
    __threadproof_step_end();
    if (requested) __threadproof_test_cancel();
}
static long read_event(int at, word_t *to, size_t n, int is_non_blocking) {
    word_t value = 0;
    if (n < sizeof(word_t)) return fails(EINVAL_);
    for (;;) {
        if (!is_non_blocking) await_input(at);
        __VERIFIER_atomic_begin();
        if (channel[at].value) {
            value = channel[at].is_semaphore ? 1 : channel[at].value;
            channel[at].value -= value;
        }
        __VERIFIER_atomic_end();
        if (value) break;
        if (is_non_blocking) return fails(EAGAIN_);
    }
    *to = value;
    return sizeof(word_t);
}
long read(int descriptor, void *buffer, size_t n) {
    unsigned char taken[CAPACITY], *to = buffer;
    unsigned count = 0;
    int is_non_blocking, ended = 0, at = channel_of(descriptor, 0, &is_non_blocking);
    if (at == INVALID) return fails(EBADF_);
    if (at == OUTSIDE) return __read(descriptor, buffer, n);
    if (channel[at].is_event) return read_event(at, buffer, n, is_non_blocking);
    if (n == 0) return 0;
    for (;;) {
        if (!is_non_blocking) await_input(at);
        __VERIFIER_atomic_begin();
        count = channel[at].count;
        if (count > n) count = (unsigned)n;
        for (unsigned i = 0; i < count; i++) taken[i] = channel[at].data[i];
        for (unsigned i = count; i < channel[at].count; i++) channel[at].data[i - count] = channel[at].data[i];
        for (unsigned i = channel[at].count - count; i < channel[at].count; i++) channel[at].data[i] = 0;
        channel[at].count -= count;
        ended = channel[at].writers == 0;
        __VERIFIER_atomic_end();
        if (count || ended) break;
        if (is_non_blocking) return fails(EAGAIN_);
    }
    for (unsigned i = 0; i < count; i++) to[i] = taken[i];
    return count;
}
static long write_event(int at, const word_t *from, size_t n) {
    if (n < sizeof(word_t)) return fails(EINVAL_);
    word_t value = *from;
    if (value == ~0ULL) return fails(EINVAL_);
    __VERIFIER_atomic_begin();
    if (channel[at].value > ~0ULL - 1 - value) __threadproof_unsupported("an event whose counter is full");
    channel[at].value += value;
    __VERIFIER_atomic_end();
    pthread_cond_broadcast(&change);
    return sizeof(word_t);
}
long write(int descriptor, const void *buffer, size_t n) {
    unsigned char given[CAPACITY];
    const unsigned char *from = buffer;
    int is_non_blocking, at = channel_of(descriptor, 1, &is_non_blocking);
    if (at == INVALID) return fails(EBADF_);
    if (at == OUTSIDE) return __write(descriptor, buffer, n);
    if (channel[at].is_event) return write_event(at, buffer, n);
    if (n > CAPACITY) __threadproof_unsupported("more than 64 bytes that are written to a channel");
    for (size_t i = 0; i < n; i++) given[i] = from[i];
    __VERIFIER_atomic_begin();
    if (channel[at].readers == 0) __threadproof_unsupported("writing to a channel that nobody can read");
    if (n > CAPACITY - channel[at].count) __threadproof_unsupported("more than 64 bytes in a channel");
    for (size_t i = 0; i < n; i++) channel[at].data[channel[at].count + i] = given[i];
    channel[at].count += (unsigned)n;
    __VERIFIER_atomic_end();
    pthread_cond_broadcast(&change);
    return (long)n;
}
int eventfd_read(int at, word_t *value) { return read(at, value, sizeof(word_t)) == sizeof(word_t) ? 0 : -1; }
int eventfd_write(int at, word_t value) { return write(at, &value, sizeof(word_t)) == sizeof(word_t) ? 0 : -1; }
long recv(int at, void *buffer, size_t n, int flags) {
    if (flags) __threadproof_unsupported("flags of `recv`, in a program with pairs of sockets or the like");
    return read(at, buffer, n);
}
long send(int at, const void *buffer, size_t n, int flags) {
    if (flags & ~0x4000) __threadproof_unsupported("flags of `send`, in a program with pairs of sockets or the like");
    return write(at, buffer, n);
}

/* What reads, writes or watches descriptors in another way. */
static int elsewhere(void) { __threadproof_unsupported("this use of descriptors, in a program with pipes or the like"); return -1; }
long readv(int at, const void *parts, int n) { return elsewhere(); }
long writev(int at, const void *parts, int n) { return elsewhere(); }
long recvmsg(int at, void *message, int flags) { return elsewhere(); }
long sendmsg(int at, const void *message, int flags) { return elsewhere(); }
int shutdown(int at, int how) { return elsewhere(); }
int epoll_ctl(int at, int operation, int of, void *event) { return elsewhere(); }
void *fdopen(int at, const char *mode) { elsewhere(); return 0; }
int dprintf(int at, const char *format, ...) { return elsewhere(); }

/* ---- waiting for several ------------------------------------------------------------------------------------------ */

static int happens(int at, int asked) {
    if (at >= N_FILES || !(file[at].in | file[at].out)) {
        if (at < N_FILES && !(in_use >> at & 1)) return POLL_NVAL;
        return __VERIFIER_nondet_int() & (asked | POLL_ERR | POLL_HUP);
    }
    int found = 0, in = file[at].in, out = file[at].out;
    if (in && channel[in - 1].writers == 0) found |= POLL_HUP;
    if (in && has_input(in - 1) && (channel[in - 1].is_event || channel[in - 1].count)) found |= asked & POLL_IN;
    if (out && channel[out - 1].readers == 0) found |= POLL_ERR;
    if (out) found |= asked & POLL_OUT;
    return found;
}

struct pollfd { int descriptor; short events, happened; };
static int look(struct pollfd *list, unsigned long n) {
    int ready = 0;
    for (unsigned long i = 0; i < n; i++) {
        int at = list[i].descriptor, asked = list[i].events, found = 0;
        if (at >= 0) {
            __VERIFIER_atomic_begin();
            found = happens(at, asked);
            __VERIFIER_atomic_end();
        }
        list[i].happened = (short)found;
        ready += found != 0;
    }
    return ready;
}
int poll(struct pollfd *list, unsigned long n, int timeout) {
    for (;;) {
        int ready = look(list, n);
        if (ready || timeout >= 0) return ready;
        __threadproof_wait_begin(&change);
        if (look(list, n) || __threadproof_cancel_requested()) __threadproof_wait_end(1);
        else __threadproof_wait_end(0);
        __threadproof_test_cancel();
    }
}
int ppoll(struct pollfd *list, unsigned long n, const void *timeout, const void *mask) {
    if (mask) __threadproof_unsupported("a mask of `ppoll`, in a program with pipes or the like");
    return poll(list, n, timeout ? 0 : -1);
}

static int has(const unsigned long *set, int at) { return set && set[at / (int)BITS] >> at % (int)BITS & 1; }
/* Looks at the sets; `keeps` says that they are to hold what was found. */
static int look_at_sets(int n, unsigned long *reading, unsigned long *writing, unsigned long *failing, int keeps) {
    int ready = 0;
    for (int at = 0; at < n && at < N_DESCRIPTORS; at++) {
        int reads = has(reading, at), writes = has(writing, at), fails = has(failing, at);
        if (!reads && !writes && !fails) continue;
        __VERIFIER_atomic_begin();
        int found = happens(at, (reads ? POLL_IN : 0) | (writes ? POLL_OUT : 0));
        __VERIFIER_atomic_end();
        int can_read = reads && (found & (POLL_IN | POLL_HUP | POLL_ERR)), can_write = writes && (found & (POLL_OUT | POLL_ERR));
        ready += (can_read != 0) + (can_write != 0);
        if (!keeps) continue;
        unsigned long bit = 1UL << at % (int)BITS;
        if (reads && !can_read) reading[at / (int)BITS] &= ~bit;
        if (writes && !can_write) writing[at / (int)BITS] &= ~bit;
        if (fails) failing[at / (int)BITS] &= ~bit;
    }
    return ready;
}
int select(int n, unsigned long *reading, unsigned long *writing, unsigned long *failing, void *timeout) {
    while (!timeout && !look_at_sets(n, reading, writing, failing, 0)) {
        __threadproof_wait_begin(&change);
        if (look_at_sets(n, reading, writing, failing, 0) || __threadproof_cancel_requested()) __threadproof_wait_end(1);
        else __threadproof_wait_end(0);
        __threadproof_test_cancel();
    }
    return look_at_sets(n, reading, writing, failing, 1);
}
int pselect(int n, unsigned long *reading, unsigned long *writing, unsigned long *failing, const void *timeout, const void *mask) {
    if (mask) __threadproof_unsupported("a mask of `pselect`, in a program with pipes or the like");
    return select(n, reading, writing, failing, (void *)timeout);
}
