// A loop with two entries: which one was taken shows in the difference for ever.
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
    int x = 0, y = 0;
    if (__VERIFIER_nondet_int())
        goto second;
    first:
        x++;
        if (__VERIFIER_nondet_int())
            goto out;
    second:
        y++;
        if (__VERIFIER_nondet_int())
            goto first;
    out:
        check(x == y || x == y + 1 || y == x + 1);
    return 0;
}
