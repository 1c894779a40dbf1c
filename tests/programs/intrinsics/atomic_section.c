// CBMC's atomic sections, and its labels that start threads.
// expect: unreach-call true
#include <assert.h>

int x, done_a, done_b;

void a(void) {
    __CPROVER_atomic_begin();
    int old = x;
    x = old + 1;
    done_a = 1;
    __CPROVER_atomic_end();
}

void *b(void *p) {
    __CPROVER_atomic_begin();
    int old = x;
    x = old + 1;
    done_b = 1;
    __CPROVER_atomic_end();
    return p;
}

int main(void) {
__CPROVER_ASYNC_1: a();
__CPROVER_ASYNC_2: b(&x);
    __CPROVER_assume(done_a && done_b);
    assert(x == 2);
    return 0;
}
