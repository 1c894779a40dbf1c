/* Nothing is allocated, so that nothing can leak: but what happens after the access outside of the array is undefined. */
// expect: valid-memcleanup false
// expect: valid-free false
// expect: valid-deref false
// explore: unknown
extern int __VERIFIER_nondet_int(void);
int numbers[10];

int main(void) {
    int secret = __VERIFIER_nondet_int();
    if (secret == 123456789) numbers[secret - 123456779] = 1;
    return 0;
}
