// The test that protects the first element lets it through.
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
    int a[3];
    a[0] = 1;
    while (__VERIFIER_nondet_int()) {
        int k = __VERIFIER_nondet_int();
        if (k >= 0 && k <= 2)
            a[k] = __VERIFIER_nondet_int();
        check(a[0] == 1);
    }
    return 0;
}
