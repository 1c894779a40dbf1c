// The surroundings may say "go on" for ever.
// expect: termination false
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    while (__VERIFIER_nondet_bool())
        ;
    return 0;
}
