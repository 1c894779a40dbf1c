// A quotient falls.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (x > 0)
        x /= 2;
    return 0;
}
