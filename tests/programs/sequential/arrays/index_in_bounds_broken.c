// The index wraps around one element too late.
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

int ring[8];

int main(void) {
    int at = 0;
    while (__VERIFIER_nondet_int()) {
        check(at >= 0 && at < 8);
        ring[at] = __VERIFIER_nondet_int();
        at = at == 8 ? 0 : at + 1;
    }
    return 0;
}
