// A lock is taken and given back in every turn, with a retry in between.
//
// expect: unreach-call true
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
            new++;
        }
    } while (new != old);
    check(held);
    return 0;
}
