// Ackermann's function calls itself with its own result: a lexicographic order of the arguments,
// whatever the result is.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

static int ackermann(int m, int n)
{
    if (m <= 0)
        return n + 1;
    if (n <= 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
    return ackermann(__VERIFIER_nondet_int(), __VERIFIER_nondet_int()) == 0;
}
