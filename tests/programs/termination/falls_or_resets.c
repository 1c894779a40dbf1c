// T-DWF with the roles changed: y falls, or y stays and x falls.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (x > 0 && y > 0) {
        if (__VERIFIER_nondet_bool()) {
            x--;
        } else {
            y--;
            x = __VERIFIER_nondet_int();
        }
    }
    return 0;
}
