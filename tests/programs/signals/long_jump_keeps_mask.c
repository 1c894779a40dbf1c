// Without a saved mask the signal stays blocked after a jump out of its handler.
// expect: unreach-call true
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

jmp_buf start;
volatile int handled;

static void handler(int signal) {
    handled++;
    longjmp(start, signal);
}

int main(void) {
    signal(SIGFPE, handler);
    if (setjmp(start) == 0) {
        raise(SIGFPE);
        assert(0);
    }
    sigset_t mask;
    sigprocmask(SIG_BLOCK, 0, &mask);
    assert(sigismember(&mask, SIGFPE) && handled == 1);
    raise(SIGFPE);
    assert(handled == 1);
    return 0;
}
