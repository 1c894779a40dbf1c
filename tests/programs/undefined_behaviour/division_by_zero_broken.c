// The divisor may be zero.
// expect: undefined-behaviour false
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    return 100 / n;
}
