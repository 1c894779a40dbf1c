// The divisor is tested, and the one quotient that does not fit is excluded.
// expect: undefined-behaviour true
// expect: unreach-call true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    return n > 0 ? 100 / n : 0;
}
