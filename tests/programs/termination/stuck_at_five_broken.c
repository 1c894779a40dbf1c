// One value does not change.
// expect: termination false
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int i = __VERIFIER_nondet_int();
    while (i > 0) {
        if (i != 5)
            i--;
    }
    return 0;
}
