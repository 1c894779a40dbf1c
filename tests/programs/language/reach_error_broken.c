// reach_error itself, called for one of two nondeterministic values.
// expect: unreach-call false
// expect: termination true
extern void reach_error(void);
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int x = __VERIFIER_nondet_bool() + 1;
    if (x * x == 4)
        reach_error();
    return 0;
}
