// Without the atomic sections the threads that CBMC's labels start lose an update.
// expect: unreach-call false
#include <assert.h>

int x, done_a, done_b;

void a(void) {
    int old = x;
    x = old + 1;
    done_a = 1;
}

void b(void) {
    int old = x;
    x = old + 1;
    done_b = 1;
}

int main(void) {
__CPROVER_ASYNC_1: a();
__CPROVER_ASYNC_2: b();
    __CPROVER_assume(done_a && done_b);
    assert(x == 2);
    return 0;
}
