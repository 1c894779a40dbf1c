// T-DWF, broken: either variable may be refilled when the other falls.
// Broken: take the branches in turn, each refilling the other variable with 2.
// expect: termination false
// expect: unreach-call true
// explore: unknown
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
