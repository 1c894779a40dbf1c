// Euclid with remainders: the second number falls.
// expect: termination true
// explore: unknown
extern unsigned int __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    while (b != 0) {
        unsigned t = b;
        b = a % b;
        a = t;
    }
    return 0;
}
