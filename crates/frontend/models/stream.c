/* What a program can ask of a stream besides its input: whether it has ended or failed, characters that were pushed back, and its lock.
 *
 * Streams are told apart by their addresses. This is state that threads share under a lock, so that it costs interleavings: the
 * models of input (stdio.c) keep it up only if the program looks at it.
 */

extern void __threadproof_unsupported(const char *);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int *__errno_location(void);
extern int __threadproof_writes_to_streams(void);
extern void *stdin;
extern void *stdout;
extern void *stderr;
extern int pthread_mutex_lock(void *);
extern int pthread_mutex_trylock(void *);
extern int pthread_mutex_unlock(void *);

enum { N_STREAMS = 8, EINVAL_ = 22, KIND_AT = sizeof(void *) == 4 ? 3 : 4 };

static int n_streams;
static struct stream {
    void *address;
    int pushed; /* a character + 1, or 0 */
    int ended, failed;
    int lock[10]; /* a recursive mutex */
} streams[N_STREAMS];

/* The state of a stream, null being the standard input. To be called in an atomic section. */
static struct stream *state_of(void *stream) {
    if (!stream) stream = stdin;
    for (int i = 0; i < n_streams; i++)
        if (streams[i].address == stream) return &streams[i];
    if (n_streams == N_STREAMS) __threadproof_unsupported("more than 8 streams of which the state is looked at");
    streams[n_streams].address = stream;
    streams[n_streams].lock[KIND_AT] = 1;
    return &streams[n_streams++];
}

/* ---- input ------------------------------------------------------------------------------------------------------ */

/* Notes that there was no more input. */
void __threadproof_input_ends(void *stream) {
    __VERIFIER_atomic_begin();
    struct stream *state = state_of(stream);
    if (state->ended || __VERIFIER_nondet_bool()) state->ended = 1;
    else state->failed = 1;
    __VERIFIER_atomic_end();
}
/* The next character, or -1. */
int __threadproof_next_character(void *stream) {
    int c;
    __VERIFIER_atomic_begin();
    struct stream *state = state_of(stream);
    if (state->pushed) {
        c = state->pushed - 1;
        state->pushed = 0;
    } else if (state->ended || __VERIFIER_nondet_bool()) {
        c = -1;
        if (state->ended || __VERIFIER_nondet_bool()) state->ended = 1;
        else state->failed = 1;
    } else {
        c = __VERIFIER_nondet_uchar();
    }
    __VERIFIER_atomic_end();
    return c;
}
int __threadproof_stream_failed(void *stream) {
    __VERIFIER_atomic_begin();
    int result = state_of(stream)->failed;
    __VERIFIER_atomic_end();
    return result;
}
int ungetc(int c, void *stream) {
    int result = -1;
    if (c == -1) return -1;
    __VERIFIER_atomic_begin();
    struct stream *state = state_of(stream);
    if (!state->pushed) { /* one character is guaranteed */
        result = (unsigned char)c;
        state->pushed = result + 1;
        state->ended = 0;
    } else {
        __threadproof_unsupported("more than one character pushed back");
    }
    __VERIFIER_atomic_end();
    return result;
}
int feof(void *stream) {
    __VERIFIER_atomic_begin();
    int result = state_of(stream)->ended;
    __VERIFIER_atomic_end();
    return result;
}
/* Output may have failed, too. */
int ferror(void *stream) {
    __VERIFIER_atomic_begin();
    struct stream *state = state_of(stream);
    if (__threadproof_writes_to_streams() && !state->failed) state->failed = __VERIFIER_nondet_bool();
    int result = state->failed;
    __VERIFIER_atomic_end();
    return result;
}
void clearerr(void *stream) {
    __VERIFIER_atomic_begin();
    struct stream *state = state_of(stream);
    state->ended = state->failed = 0;
    __VERIFIER_atomic_end();
}
int feof_unlocked(void *stream) { return feof(stream); }
int ferror_unlocked(void *stream) { return ferror(stream); }
void clearerr_unlocked(void *stream) { clearerr(stream); }

static int moves(void *stream) {
    if (__VERIFIER_nondet_bool()) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    __VERIFIER_atomic_begin();
    struct stream *state = state_of(stream);
    state->ended = state->pushed = 0;
    __VERIFIER_atomic_end();
    return 0;
}
int fseek(void *stream, long offset, int whence) { return moves(stream); }
void rewind(void *stream) {
    moves(stream);
    clearerr(stream);
}

/* ---- locks ------------------------------------------------------------------------------------------------------ */

static void *lock_of(void *stream) {
    __VERIFIER_atomic_begin();
    void *lock = state_of(stream)->lock;
    __VERIFIER_atomic_end();
    return lock;
}
/* What other functions do with the lock, in programs that lock streams themselves. */
void __threadproof_await_stream(void *stream) {
    if (!stream) __threadproof_unsupported("`fflush` of all streams, in a program that locks streams");
    void *lock = lock_of(stream);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}
void __threadproof_await_standard_stream(int descriptor) {
    __threadproof_await_stream(descriptor == 0 ? stdin : descriptor == 1 ? stdout : stderr);
}
/* Lowering calls what waits; here it is referred to. */
static void *own_lock_of(void *stream) {
    (void)__threadproof_await_stream;
    (void)__threadproof_await_standard_stream;
    return lock_of(stream);
}
void flockfile(void *stream) { pthread_mutex_lock(own_lock_of(stream)); }
int ftrylockfile(void *stream) { return pthread_mutex_trylock(own_lock_of(stream)); }
void funlockfile(void *stream) { pthread_mutex_unlock(lock_of(stream)); }
