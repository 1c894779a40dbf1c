// The inner loop is bounded by the outer counter.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        for (int j = i; j > 0; j--)
            ;
    return 0;
}
