// T-DWF broken: each branch resets what the other one counts. Both branches alone are well-founded,
// their union is not.
// expect: termination false
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x > 0 && y > 0) {
        if (__VERIFIER_nondet_bool()) {
            x--;
            y = __VERIFIER_nondet_int();
        } else {
            y--;
            x = __VERIFIER_nondet_int();
        }
    }
    return 0;
}
