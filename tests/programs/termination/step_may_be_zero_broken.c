// The step is an input, and may be zero.
// expect: termination false
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (y < 0)
        return 0;
    while (x > 0)
        x -= y;
    return 0;
}
