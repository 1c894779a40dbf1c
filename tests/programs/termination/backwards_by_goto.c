// A loop made of a jump.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    again:
    if (n > 0) {
        n--;
        goto again;
    }
    return 0;
}
