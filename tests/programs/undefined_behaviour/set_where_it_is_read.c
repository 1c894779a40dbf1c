// A variable is set on all paths that read it, which the conditions say.
// expect: undefined-behaviour true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int known = __VERIFIER_nondet_int() != 0, x, y, z;
    if (known)
        x = 1;
    if (known && x == 1)
        y = 2;
    else
        y = 3;
    z = known ? x : y;
    (void)x;
    return z;
}
