// Counts up, and wraps around to zero after at most 2^32 steps.
// expect: termination true
// explore: unknown
extern unsigned int __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    while (x != 0)
        x++;
    return 0;
}
