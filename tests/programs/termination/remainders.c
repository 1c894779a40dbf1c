// Euclid with remainders: the second number falls.
// expect: termination true
// explore: unknown
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    while (b != 0) {
        unsigned char t = b;
        b = a % b;
        a = t;
    }
    return 0;
}
