// An array of variable length has no elements.
// expect: undefined-behaviour false
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int() & 3;
    int a[n];
    if (n > 1)
        a[0] = 1;
    return 0;
}
