// 8 pairs of branches on the same input: 2^16 paths, of which 2^8 can be taken.
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

static int held;

static void acquire(void) {
    check(!held);
    held = 1;
}

static void release(void) {
    check(held);
    held = 0;
}

int main(void) {
    int option_0 = __VERIFIER_nondet_int();
    int option_1 = __VERIFIER_nondet_int();
    int option_2 = __VERIFIER_nondet_int();
    int option_3 = __VERIFIER_nondet_int();
    int option_4 = __VERIFIER_nondet_int();
    int option_5 = __VERIFIER_nondet_int();
    int option_6 = __VERIFIER_nondet_int();
    int option_7 = __VERIFIER_nondet_int();
    if (option_0) {
        acquire();
    }
    if (option_0) {
        release();
    }
    if (option_1) {
        acquire();
    }
    if (option_1) {
        release();
    }
    if (option_2) {
        acquire();
    }
    if (option_2) {
        release();
    }
    if (option_3) {
        acquire();
    }
    if (option_3) {
        release();
    }
    if (option_4) {
        acquire();
    }
    if (option_4) {
        release();
    }
    if (option_5) {
        acquire();
    }
    if (option_5) {
        release();
    }
    if (option_6) {
        acquire();
    }
    if (option_6) {
        release();
    }
    if (option_7) {
        acquire();
    }
    if (option_7) {
        release();
    }
    check(!held);
    return 0;
}
