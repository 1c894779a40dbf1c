// The lock is given back, but the counter that asks for a retry does not move for one input.
//
// expect: unreach-call false
// explore: unknown

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void check(int condition) {
    if (!condition)
        reach_error();
}

int main(void) {
    int held = 0, old, new = __VERIFIER_nondet_int();
    do {
        check(!held);
        held = 1;
        old = new;
        if (__VERIFIER_nondet_int()) {
            held = 0;
            if (old != 77)
                new++;
        }
    } while (new != old);
    check(held);
    return 0;
}
