#define _GNU_SOURCE
#include "schedule.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the plan ---- */

struct key { int kind, line, symbol; };
struct segment { int thread, last_key; unsigned last_count; int next_key; unsigned next_count; };
struct site { unsigned long pc; int line; };
struct range { unsigned long from, to; int symbol; };
struct raise { int thread, key; unsigned count; int signal; };
struct value { int thread, line; char function[MAX_NAME]; unsigned long long value; int used; };

/* Symbols that are no static object. */
enum { ELSEWHERE = 0, ON_A_STACK = 1, IS_ERROR = -1 };

static struct key *keys;
static struct segment *segments;
static struct site *sites;
static struct range *ranges, *errors;
static struct value *values;
static struct raise *raises;
static char **lines, **names;
static int n_keys, n_segments, n_sites, n_ranges, n_errors, n_raises, n_values, n_lines, n_names;
static int mode = 'A', victim, racing[2];

#define GROW(array, n) ((array) = realloc((array), ((n) + 1) * sizeof *(array)), memset(&(array)[n], 0, sizeof *(array)), &(array)[(n)++])

static void read_line(char *text) {
    char word[4096];
    int number;
    struct key *key;
    struct segment *segment;
    struct site *site;
    struct range *range;
    struct value *value;
    struct raise *raise;
    switch (text[0]) {
    case 'K': key = GROW(keys, n_keys); sscanf(text + 1, " %c %d %d", &word[0], &key->line, &key->symbol); key->kind = word[0]; break;
    case 'S':
        segment = GROW(segments, n_segments);
        sscanf(text + 1, "%d %d %u %d %u", &segment->thread, &segment->last_key, &segment->last_count, &segment->next_key, &segment->next_count);
        break;
    case 'P': site = GROW(sites, n_sites); sscanf(text + 1, "%lx %d", &site->pc, &site->line); break;
    case 'Y': range = GROW(ranges, n_ranges); sscanf(text + 1, "%lx %lx %d", &range->from, &range->to, &range->symbol); break;
    case 'E': range = GROW(errors, n_errors); sscanf(text + 1, "%lx %lx", &range->from, &range->to); break;
    case 'V': raise = GROW(raises, n_raises); sscanf(text + 1, "%d %d %u %d", &raise->thread, &raise->key, &raise->count, &raise->signal); break;
    case 'I':
        value = GROW(values, n_values);
        sscanf(text + 1, "%d %d %llx %63s", &value->thread, &value->line, &value->value, value->function);
        break;
    case 'L': sscanf(text + 1, "%4095s", word); *GROW(lines, n_lines) = strdup(word); break;
    case 'T': sscanf(text + 1, "%4095s", word); *GROW(names, n_names) = strdup(word); break;
    case 'M': sscanf(text + 1, " %c %d %d %d", &word[0], &victim, &racing[0], &racing[1]); mode = word[0]; break;
    default: number = 0; (void)number;
    }
}

static int line_of(const void *pc) {
    int low = 0, high = n_sites;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sites[middle].pc < (unsigned long)pc) low = middle + 1; else high = middle;
    }
    return low < n_sites && sites[low].pc == (unsigned long)pc ? sites[low].line : -1;
}

static int symbol_of(const void *address) {
    int low = 0, high = n_ranges;
    unsigned long at = (unsigned long)address;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ranges[middle].to <= at) low = middle + 1; else high = middle;
    }
    if (low < n_ranges && ranges[low].from <= at) return ranges[low].symbol;
    for (int i = 0; i < n_threads; i++)
        if (threads[i].low <= (char *)address && (char *)address < threads[i].high) return ON_A_STACK;
    return ELSEWHERE;
}

static int key_of(int kind, int line, const void *address) {
    int symbol = 0, known = 0;
    for (int i = 0; i < n_keys; i++) {
        if (keys[i].kind != kind || keys[i].line != line) continue;
        if (!known) symbol = kind == CREATE || kind == JOIN ? ELSEWHERE : symbol_of(address), known = 1;
        if (keys[i].symbol == symbol) return i;
    }
    return -1;
}

/* ---- the token ---- */

struct thread threads[MAX_THREADS];
int n_threads;
static int token, current, over, stuck, steps;
static unsigned moved; /* changes while anything happens */
static __thread int me = -1;

int is_over(void) { return over; }
struct thread *self(void) { return me < 0 ? NULL : &threads[me]; }

static void futex(int *word, int operation, int value) { syscall(SYS_futex, word, operation, value, NULL, NULL, 0); }

static void give(int number) {
    if (token == number) return;
    __atomic_store_n(&token, number, __ATOMIC_SEQ_CST);
    futex(&token, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

static void await(void) {
    for (;;) {
        int now = __atomic_load_n(&token, __ATOMIC_SEQ_CST);
        if (now == me) return;
        futex(&token, FUTEX_WAIT_PRIVATE, now);
    }
}

static int n_live(void) {
    int n = 0;
    for (int i = 0; i < n_threads; i++) n += !threads[i].finished;
    return n;
}

/* After the plan: the next one in turn. */
static void rotate(void) {
    for (int i = 1; i <= n_threads; i++) {
        int other = (token + i) % n_threads;
        if (!threads[other].finished) { give(other); return; }
    }
}

static void after_the_plan(void);
static void note_raise(struct thread *thread, int key, unsigned count);

/* The segment is over. */
static void advance(void) {
    moved++;
    do current++;
    while (current < n_segments && (segments[current].thread >= n_threads || threads[segments[current].thread].finished));
    if (current < n_segments) { give(segments[current].thread); return; }
    if (!over) { over = 1; after_the_plan(); }
}

static const struct segment *mine(void) {
    return current < n_segments && segments[current].thread == me ? &segments[current] : NULL;
}

int plan_goes_on(void) {
    struct thread *thread = self();
    return thread && !over && !thread->stop && mine();
}

/* ---- results ---- */

static void tell(const char *what) {
    FILE *file = fopen(THREADPROOF_RESULT, "w");
    if (!file) return;
    fprintf(file, "%s\n", what);
    fprintf(file, "plan %d of %d\n", current < n_segments ? current : n_segments, n_segments);
    for (int i = 0; i < n_threads; i++) {
        struct thread *thread = &threads[i];
        const char *name = i < n_names ? names[i] : "?", *line = thread->line >= 0 && thread->line < n_lines ? lines[thread->line] : "?";
        fprintf(file, "thread %s %s %s\n", name, line, thread->finished ? "has ended" : thread->blocked ? thread->blocked : "is there");
    }
    fclose(file);
}

static int told;

/* A debugger stops here. */
__attribute__((noinline)) void threadproof_reproduced(const char *what) { __asm__ volatile("" : : "r"(what) : "memory"); }

void reproduced(const char *what) {
    char text[1024];
    if (told) return;
    told = 1;
    snprintf(text, sizeof text, "reproduced %s", what);
    tell(text);
    threadproof_reproduced(what);
}

void ended(const char *how) {
    if (!told) { told = 1; tell(how); }
    fflush(NULL);
    _exit(40);
}

void failed(const char *what) {
    char text[1024];
    if (mode == 'A') { reproduced(what); return; }
    snprintf(text, sizeof text, "ended something else happened: %s", what);
    ended(text);
}

static int overlap(const struct thread *left, const struct thread *right) {
    const char *a = left->address, *b = right->address;
    int writes = left->kind != READ || right->kind != READ, atomic = left->kind == ATOMIC && right->kind == ATOMIC;
    return !left->finished && !right->finished && writes && !atomic && a < b + right->size && b < a + left->size;
}

/* The two threads stand before their accesses; then both are made, so that ThreadSanitizer sees them. */
static int racers = 0;
static void race(void) {
    struct thread *left = &threads[racing[0]], *right = &threads[racing[1]];
    char text[256];
    int meet = racing[0] < n_threads && racing[1] < n_threads && overlap(left, right);
    if (meet) {
        snprintf(text, sizeof text, "two threads stand before conflicting accesses to the same bytes: %s of %d bytes, and %s of %d bytes",
                 left->kind == READ ? "a read" : left->kind == WRITE ? "a write" : "an atomic access", left->size,
                 right->kind == READ ? "a read" : right->kind == WRITE ? "a write" : "an atomic access", right->size);
        reproduced(text);
    }
    if (!THREADPROOF_TSAN) {
        if (meet) ended("");
        rotate();
        return;
    }
    racers = 1;
    give(racing[0] < n_threads ? racing[0] : 0);
}

static void after_the_plan(void) {
    if (mode == 'R') race();
    else if (mode == 'A' && victim < n_threads && !threads[victim].finished) give(victim);
    else rotate();
}

/* ---- events ---- */

/* So many events in turn after the plan, so that threads that wait in loops do not keep others from running. */
enum { TURN = 5000, FIRST_TURN = 200000 };

static void hold(struct thread *thread) {
    thread->stop = 0;
    advance();
    await();
}

static void next_racer(void) {
    if (racers == 0 || me != racing[racers - 1]) return;
    racers++;
    if (racers == 3) ended("ended both accesses were made");
    give(racing[1] < n_threads ? racing[1] : 0);
    await();
}

/* Signals that come after the n-th event with a key, or before all. */
static void note_raise(struct thread *thread, int key, unsigned count) {
    for (int i = 0; i < n_raises; i++)
        if (raises[i].thread == thread - threads && raises[i].key == key && raises[i].count == count) thread->raises = raises[i].signal;
}

void event(int kind, const void *pc, const void *address, int size) {
    struct thread *thread = self();
    const struct segment *segment;
    int key, line, signal;
    if (!thread || told) return;
    line = line_of(pc);
    if (kind != NOTHING || line >= 0) thread->line = line;
    thread->kind = kind, thread->address = address, thread->size = size;
    stuck = 0;
    moved++;
    if (over) {
        next_racer();
        if (++steps % TURN == 0 && (mode != 'A' || steps > FIRST_TURN)) { rotate(); await(); }
    } else if (thread->stop && mine()) hold(thread);
    thread->stop = 0;
    if (kind != NOTHING && (signal = thread->raises)) {
        thread->raises = 0;
        pthread_kill(pthread_self(), signal);
        thread->kind = kind, thread->address = address, thread->size = size, thread->line = line;
    }
    if (kind == NOTHING || (key = key_of(kind, line, address)) < 0) return;
    while ((segment = mine()) && segment->next_key == key && segment->next_count == thread->counts[key]) hold(thread);
    thread->counts[key]++;
    segment = mine();
    if (segment && segment->last_key == key && segment->last_count == thread->counts[key]) thread->stop = 1;
    note_raise(thread, key, thread->counts[key]);
}

void blocked(const char *call) {
    struct thread *thread = self();
    if (!thread) { usleep(1000); return; }
    thread->blocked = call;
    if (!over) { hold(thread); return; }
    if (++stuck > 2 * n_live() + 2) {
        if (mode == 'D') { reproduced("all threads are blocked"); ended(""); }
        ended("blocked all threads are blocked");
    }
    rotate();
    await();
}

void blocked_at_point(const char *call) {
    blocked(call);
    pthread_testcancel();
}

void unblocked(void) {
    struct thread *thread = self();
    if (thread) thread->blocked = NULL;
    stuck = 0;
}

/* A loop without accesses is never held: after a while, a signal holds the thread in it. */
static void hold_in_loop(int signal) {
    struct thread *thread = self();
    if (thread && token == me && thread->stop && !over && mine()) hold(thread);
}

static void *watch(void *unused) {
    unsigned before = 0;
    for (;;) {
        usleep(100000);
        int running = __atomic_load_n(&token, __ATOMIC_SEQ_CST);
        if (moved == before && !told && threads[running].stop) pthread_kill(threads[running].handle, SIGRTMAX - 1);
        before = moved;
    }
    return NULL;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static void start_to_watch(void) {
    struct sigaction action;
    sigset_t all, old;
    pthread_t watcher;
    if (THREADPROOF_TSAN) return; /* it delivers signals late */
    memset(&action, 0, sizeof action);
    action.sa_handler = hold_in_loop;
    sigaction(SIGRTMAX - 1, &action, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    if (!__real_pthread_create(&watcher, NULL, watch, NULL)) pthread_detach(watcher);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* ---- threads ---- */

int new_thread(void) {
    int number = n_threads;
    if (number >= MAX_THREADS) ended("limit more than 2048 threads");
    memset(&threads[number], 0, sizeof threads[number]);
    threads[number].counts = calloc(n_keys + 1, sizeof(unsigned));
    threads[number].joined = threads[number].line = -1;
    note_raise(&threads[number], -1, 0);
    n_threads++;
    return number;
}

static void note_stack(struct thread *thread) {
    pthread_attr_t attributes;
    void *low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes)) return;
    if (!pthread_attr_getstack(&attributes, &low, &size)) thread->low = low, thread->high = (char *)low + size;
    pthread_attr_destroy(&attributes);
}

static pthread_key_t end_key;

void begin_thread(int number) {
    me = number;
    threads[number].handle = pthread_self();
    note_stack(&threads[number]);
    pthread_setspecific(end_key, &threads[number]);
    if (number) await();
}

/* The last of the destructors: those of the program may still have something to do. */
static void destructor(void *thread) {
    if (++((struct thread *)thread)->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(end_key, thread);
    else end_thread();
}

void end_thread(void) {
    struct thread *thread = self();
    if (!thread || thread->finished) return;
    thread->finished = 1;
    stuck = 0;
    if (!n_live()) exit(0); /* as the last thread does where none watches */
    if (mine()) advance();
    else if (over) rotate();
    me = -1;
}

int number_of(pthread_t handle) {
    for (int i = n_threads - 1; i >= 0; i--)
        if (pthread_equal(threads[i].handle, handle)) return i;
    return -1;
}

/* ---- inputs and errors ---- */

unsigned long long input(const char *function, const void *pc) {
    int line = line_of(pc);
    event(NOTHING, pc, NULL, 0);
    for (int i = 0; i < n_values; i++) {
        struct value *value = &values[i];
        int named = value->function[0] != '-';
        if (value->used || value->thread != me || value->line != line || (named && strcmp(value->function, function))) continue;
        value->used = 1;
        return value->value;
    }
    return 0;
}

void threadproof_function(const void *pc) {
    event(NOTHING, pc, NULL, 0);
    for (int i = 0; i < n_errors; i++)
        if (errors[i].from <= (unsigned long)pc && (unsigned long)pc < errors[i].to) {
            failed("an error function is called");
            abort();
        }
}

/* After the destructors of the program. */
__attribute__((destructor(101))) static void at_end(void) {
    if (!told) tell("ended the program ended");
    told = 1;
}

__attribute__((constructor(101))) static void start(void) {
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(THREADPROOF_PLAN, "r");
    if (!file) _exit(41);
    while (getline(&text, &room, file) > 0) read_line(text);
    free(text);
    fclose(file);
    pthread_key_create(&end_key, destructor);
    new_thread();
    begin_thread(0);
    start_to_watch();
    current = -1;
    advance();
    await();
}
