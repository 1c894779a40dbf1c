// Zero is its own half.
// expect: termination false
extern unsigned int __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    while (x != 1)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return 0;
}
