// The second loop counts one variable less often than the first.
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
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    int i = 0, j = 0;
    while (i < n) {
        i++;
        j++;
    }
    while (i > 1) {
        i--;
        j--;
    }
    check(j == 0);
    return 0;
}
