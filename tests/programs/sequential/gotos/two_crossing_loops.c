// Two loops of `goto` that share their middle part; the flag says which of them runs.
//
// expect: unreach-call true
// explore: unknown

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void check(int condition) {
    if (!condition)
        reach_error();
}

int main(void) {
    int n = 0, in_first = 1;
    first:
        in_first = 1;
        if (__VERIFIER_nondet_int())
            goto middle;
    second:
        in_first = 0;
    middle:
        if (in_first)
            n = n < 3 ? n + 1 : n;
        else
            n = 0;
        check(n >= 0 && n <= 3);
        if (__VERIFIER_nondet_int())
            goto first;
        if (__VERIFIER_nondet_int())
            goto second;
    return 0;
}
