// A promise to the compiler that is not kept.
// expect: undefined-behaviour false
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    if (__VERIFIER_nondet_bool())
        __builtin_unreachable();
    return 0;
}
