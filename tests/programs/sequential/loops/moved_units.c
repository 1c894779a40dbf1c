// Units move from one side to the other: their sum is the invariant, and neither variable alone
// helps.
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
    int left = n, right = 0;
    while (left > 0) {
        left--;
        right++;
    }
    check(right == n);
    return 0;
}
