// The inner loop may be left in the middle of its turn.
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
    int a = 0, b = 0;
    while (__VERIFIER_nondet_int()) {
        int k = __VERIFIER_nondet_int();
        while (k > 0) {
            a++;
            if (k == 7)
                break;
            b++;
            k--;
        }
    }
    check(a == b);
    return 0;
}
