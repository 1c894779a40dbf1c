// A handler leaves by siglongjmp, which restores the mask that was saved: the signal can come again.
// expect: unreach-call true
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

sigjmp_buf start;
volatile int handled;

static void handler(int signal) {
    handled++;
    siglongjmp(start, signal);
}

int main(void) {
    signal(SIGFPE, handler);
    int result = sigsetjmp(start, 1);
    sigset_t mask;
    sigprocmask(SIG_BLOCK, 0, &mask);
    assert(!sigismember(&mask, SIGFPE));
    assert(result == (handled ? SIGFPE : 0));
    if (handled < 2) {
        raise(SIGFPE);
        assert(0);
    }
    assert(handled == 2);
    return 0;
}
