// A left shift of a signed number whose value the type cannot represent overflows.
// expect: no-overflow false
extern _Bool __VERIFIER_nondet_bool(void);

int main(void)
{
    int bit = __VERIFIER_nondet_bool() ? 31 : 30;
    int mask = 1 << bit;
    return mask == 0;
}
