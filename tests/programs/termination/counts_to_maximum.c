// A guard keeps the counter from wrapping around.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int i = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    while (i < n)
        i++;
    return 0;
}
