// The sum grows by two in every turn.
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
    int n = __VERIFIER_nondet_int();
    unsigned i = 0, s = 0;
    while (i < (unsigned)n) {
        s += 2;
        i++;
    }
    check(s == 2 * i);
    return 0;
}
