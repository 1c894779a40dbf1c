// The last element is never set.
//
// expect: unreach-call false
// explore: unknown

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void check(int condition) {
    if (!condition)
        reach_error();
}

int main(void) {
    int a[4], i;
    for (i = 0; i < 3; i++)
        a[i] = i + 1;
    for (i = 0; i < 4; i++)
        check(a[i] == i + 1);
    return 0;
}
