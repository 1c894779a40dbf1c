// A counter that stops at its limit ends exactly there.
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
    __VERIFIER_assume(n >= 0);
    int i = 0;
    while (i < n)
        i++;
    check(i == n);
    return 0;
}
