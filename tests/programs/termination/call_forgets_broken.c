// The same, but the function changes its own copy.
// expect: termination false
extern int __VERIFIER_nondet_int(void);

static void decrement(int p)
{
    if (p > 0)
        p -= 1;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (x > 0)
        decrement(x);
    return 0;
}
