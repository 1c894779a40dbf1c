// The lower bound of an index is not tested.
// expect: valid-memsafety false
// expect: valid-deref false
// explore: unknown
extern int __VERIFIER_nondet_int(void);
int a[8];

int main(void)
{
    int i = __VERIFIER_nondet_int();
    if (i >= 8)
        return 1;
    a[i] = 1;
    return 0;
}
