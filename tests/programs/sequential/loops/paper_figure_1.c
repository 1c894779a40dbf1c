// The first figure of the UFO paper: `x` is 0 or a value that `i` had, and `i` counts up from 0.
// One refinement suffices, because all paths through the loop are refined at once.
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
    int n = __VERIFIER_nondet_int();
    int i = 0, x = 0;
    while (i < n) {
        if (i <= 2)
            x = 0;
        else
            x = i;
        i = i + 1;
    }
    if (x < 0)
        reach_error();
    return 0;
}
