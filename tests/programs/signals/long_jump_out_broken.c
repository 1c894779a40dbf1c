// A handler that jumps out interrupts an update of two variables.
// expect: unreach-call false
#include <assert.h>
#include <setjmp.h>
#include <signal.h>

sigjmp_buf start;
volatile int a, b;

static void handler(int signal) { siglongjmp(start, 1); }

int main(void) {
    if (sigsetjmp(start, 1) == 0) {
        signal(SIGUSR1, handler);
        a++;
        b++;
    }
    signal(SIGUSR1, SIG_IGN);
    assert(a == b);
    return 0;
}
