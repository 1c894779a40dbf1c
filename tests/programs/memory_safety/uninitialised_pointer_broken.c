// A pointer is used on a path on which it was never set.
// expect: valid-memsafety false
// expect: valid-deref false
// explore: unknown
extern _Bool __VERIFIER_nondet_bool(void);

int x;

int main(void)
{
    int *p;
    if (__VERIFIER_nondet_bool())
        p = &x;
    *p = 1;
    return 0;
}
