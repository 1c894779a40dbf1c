/* Forces the schedule of a trace upon a program that was compiled with hooks: what the parts of the run-time share.
 *
 * One thread runs at a time, the one that has the token. The plan is a list of segments: a thread runs until it has done the n-th event of some
 * kind, at some line, on some object, or until it stands before another one. After the plan the threads take turns, and what happens then is watched for. */

#ifndef THREADPROOF_SCHEDULE_H
#define THREADPROOF_SCHEDULE_H

#include <pthread.h>
#include <stddef.h>

enum { MAX_THREADS = 2048, MAX_NAME = 64 };

/* Kinds of events. */
enum { READ = 'R', WRITE = 'W', ATOMIC = 'A', LOCK = 'l', UNLOCK = 'u', SEM_WAIT = 's', SEM_POST = 'p', BARRIER = 'b', COND_WAIT = 'c',
       COND_SIGNAL = 'g', ONCE = 'o', CREATE = 't', JOIN = 'j', NOTHING = '-' };

struct thread {
    pthread_t handle;
    char *low, *high; /* its stack */
    void *(*routine)(void *);
    void *argument;
    unsigned *counts; /* of events, for each key */
    int finished, stop;
    int raises;             /* a signal that comes before its next event */
    int joined;             /* waits for this thread */
    int rounds;             /* of destructors */
    const void *condition;  /* waits for a signal of this */
    int signalled;
    const char *blocked;    /* the call in which it is blocked */
    const char *call;       /* the call that it is in */
    /* Where it stands. */
    int kind, line, size;
    const void *address;
};

extern struct thread threads[MAX_THREADS];
extern int n_threads;

struct thread *self(void);
/* An event is about to happen; the thread is held here if the plan says so. */
void event(int kind, const void *pc, const void *address, int size);
/* The thread cannot go on; others run. False once the plan is over, and then only if nothing changed. */
void blocked(const char *call);
/* The same in a call that is a cancellation point. */
void blocked_at_point(const char *call);
/* A blocking call went on. */
void unblocked(void);
/* A thread is created; its number. */
int new_thread(void);
void begin_thread(int number);
void end_thread(void);
int number_of(pthread_t handle);
/* The violation was reached. */
void reproduced(const char *what);
/* The program fails: the violation, if that is what the plan is about; otherwise the replay ends. */
void failed(const char *what);
void ended(const char *how) __attribute__((noreturn));
/* The next input of the thread. */
unsigned long long input(const char *function, const void *pc);
int is_over(void);
/* The plan has more for this thread to do before others run. */
int plan_goes_on(void);

#define HERE __builtin_return_address(0)
#endif
