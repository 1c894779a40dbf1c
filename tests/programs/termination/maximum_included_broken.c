// The bound may be the greatest number: then every number is below it.
// expect: termination false
// explore: unknown
extern unsigned int __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    for (unsigned i = 0; i <= n; i++)
        ;
    return 0;
}
