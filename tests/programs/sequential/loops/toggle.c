// A flag that is set exactly while the counter is odd.
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
    unsigned turns = 0;
    int odd = 0;
    while (__VERIFIER_nondet_int()) {
        odd = !odd;
        turns++;
    }
    check(odd == (int)(turns & 1));
    return 0;
}
