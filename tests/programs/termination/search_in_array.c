// The index stays inside the array.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int a[8], i = 0, wanted = __VERIFIER_nondet_int();
    for (int n = 0; n < 8; n++)
        a[n] = __VERIFIER_nondet_int();
    while (i < 8 && a[i] != wanted)
        i++;
    return 0;
}
