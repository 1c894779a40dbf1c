// Three loops one after the other; only what the first one establishes is asked for at the end.
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
    __VERIFIER_assume(n > 0 && n < 1000);
    int i = 0, j = 0, k = 0;
    while (i < n)
        i++;
    while (j < 2 * n)
        j++;
    while (k < i)
        k++;
    check(k == n && i == n);
    return 0;
}
