// A counter that saturates never passes its limit, whatever the steps are.
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
    int level = 0;
    while (1) {
        int step = __VERIFIER_nondet_int();
        if (step < 0 || step > 10)
            continue;
        if (level + step > 100)
            level = 100;
        else
            level += step;
        check(level >= 0 && level <= 100);
    }
    return 0;
}
