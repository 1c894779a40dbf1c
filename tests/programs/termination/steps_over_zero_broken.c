// Counts down in twos: odd numbers never become zero.
// expect: termination false
// explore: unknown
extern unsigned int __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    while (x != 0)
        x -= 2;
    return 0;
}
