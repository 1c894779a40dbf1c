// Recursion whose depth is an input, with a result in a global variable.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int sum;

static void add(int n)
{
    if (n <= 0)
        return;
    add(n - 1);
    sum += n & 1;
}

int main(void)
{
    add(__VERIFIER_nondet_int());
    return sum == -1;
}
