// Numbers that are made wider before they are multiplied do not overflow.
// expect: no-overflow true
// explore: unknown
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    long wide = __VERIFIER_nondet_int();
    unsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar();
    int small = a * b + a - b;
    wide *= wide;
    return wide < 0 || small < -255;
}
