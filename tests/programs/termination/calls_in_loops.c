// The loop counter is changed by a function, through a pointer.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

static void decrement(int *p)
{
    if (*p > 0)
        *p -= 1;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (x > 0)
        decrement(&x);
    return 0;
}
