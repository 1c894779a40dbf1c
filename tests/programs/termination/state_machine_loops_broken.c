// A machine with a way back.
// expect: termination false
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int state = 0;
    while (state != 3) {
        if (state == 2 && __VERIFIER_nondet_bool())
            state = 1;
        else
            state++;
    }
    return 0;
}
