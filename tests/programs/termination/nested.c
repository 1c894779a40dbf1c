// Two counters, one inside the other: a lexicographic order.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            ;
    return 0;
}
