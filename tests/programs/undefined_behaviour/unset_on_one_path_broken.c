// A variable is passed to a function that is set on one of two paths only.
// expect: undefined-behaviour false
extern int __VERIFIER_nondet_int(void);

int twice(int x)
{
    return 2 * (x & 1);
}

int main(void)
{
    int x;
    if (__VERIFIER_nondet_int())
        x = 1;
    return twice(x);
}
