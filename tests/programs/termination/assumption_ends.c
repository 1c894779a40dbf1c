// A failed assumption ends the execution; that is no infinite one.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (1) {
        __VERIFIER_assume(x > 0);
        x--;
    }
    return 0;
}
