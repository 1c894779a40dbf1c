// From 20 back to 27, and down again.
// expect: termination false
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int i = __VERIFIER_nondet_int();
    while (i > 10) {
        if (i == 20)
            i = 27;
        i--;
    }
    return 0;
}
