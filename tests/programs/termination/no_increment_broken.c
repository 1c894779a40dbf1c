// The counter is forgotten on one branch.
// expect: termination false
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int i = 0;
    while (i < 10) {
        if (__VERIFIER_nondet_bool())
            continue;
        i++;
    }
    return 0;
}
