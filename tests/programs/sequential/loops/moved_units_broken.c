// Units move from one side to the other, but the last one is left.
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
    int left = n, right = 0;
    while (left > 1) {
        left--;
        right++;
    }
    check(right == n);
    return 0;
}
