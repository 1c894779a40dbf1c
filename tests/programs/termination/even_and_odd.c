// Two functions call each other until an argument is used up.
// expect: termination true
// explore: unknown
extern unsigned __VERIFIER_nondet_uint(void);
static int odd(unsigned n);

static int even(unsigned n)
{
    return n == 0 ? 1 : odd(n - 1);
}

static int odd(unsigned n)
{
    return n == 0 ? 0 : even(n - 1);
}

int main(void)
{
    return even(__VERIFIER_nondet_uint());
}
