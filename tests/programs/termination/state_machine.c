// A machine that may stay where it is, but only a bounded number of times.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int state = 0, patience = __VERIFIER_nondet_int();
    while (state != 3) {
        if (patience > 0 && __VERIFIER_nondet_bool())
            patience--;
        else
            state++;
    }
    return 0;
}
