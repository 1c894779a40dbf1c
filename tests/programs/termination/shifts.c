// Shifts out all bits.
// expect: termination true
// explore: unknown
extern unsigned int __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    while (x != 0)
        x >>= 1;
    return 0;
}
