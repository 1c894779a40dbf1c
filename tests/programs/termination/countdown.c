// An input falls to zero.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (x > 0)
        x--;
    return 0;
}
