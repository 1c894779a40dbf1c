// The lesser of two numbers falls, the other one is anything.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int p = __VERIFIER_nondet_int(), q = __VERIFIER_nondet_int();
    while (p > 0 && q > 0 && p != q) {
        if (q < p) {
            q--;
            p = __VERIFIER_nondet_int();
        } else {
            p--;
            q = __VERIFIER_nondet_int();
        }
    }
    return 0;
}
