// The inner loop counts two variables together, the outer one starts it again and again.
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
    int a = 0, b = 0;
    while (__VERIFIER_nondet_int()) {
        int k = __VERIFIER_nondet_int();
        while (k > 0) {
            a++;
            b++;
            k--;
        }
        if (__VERIFIER_nondet_int())
            a = b;
    }
    check(a == b);
    return 0;
}
