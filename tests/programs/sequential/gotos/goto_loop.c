// A loop made of `goto`, with its test in the middle.
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
    again:
        x++;
        if (__VERIFIER_nondet_int())
            goto out;
        y++;
        goto again;
    out:
        check(x == y + 1);
    return 0;
}
