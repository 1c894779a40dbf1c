// Two variables drift apart by at most one.
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
    while (__VERIFIER_nondet_int()) {
        if (x == y)
            x++;
        else
            y++;
    }
    check(x == y || x == y + 1);
    return 0;
}
