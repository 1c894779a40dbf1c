// Only one element of an array is ever read; writes to others do not touch it.
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
    int a[3];
    a[0] = 1;
    while (__VERIFIER_nondet_int()) {
        int k = __VERIFIER_nondet_int();
        if (k == 1 || k == 2)
            a[k] = __VERIFIER_nondet_int();
        check(a[0] == 1);
    }
    return 0;
}
