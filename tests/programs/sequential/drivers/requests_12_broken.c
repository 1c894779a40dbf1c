// A driver with 12 kinds of requests, one of which keeps the lock for one argument.
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

static int held;

static void acquire(void) {
    check(!held);
    held = 1;
}

static void release(void) {
    check(held);
    held = 0;
}

static int status, pending;

static void request_0(int argument) {
    acquire();
    if (argument > 0)
        pending++;
    release();
}

static void request_1(int argument) {
    if (argument & 1) {
        acquire();
        status = argument;
        release();
    } else {
        status = 0;
    }
}

static void request_2(int argument) {
    int locked = 0;
    if (argument < 0) {
        acquire();
        locked = 1;
    }
    pending = argument;
    if (locked)
        release();
}

static void request_3(int argument) {
    acquire();
    while (pending > 0) {
        pending--;
        release();
        acquire();
    }
    release();
}

static void request_4(int argument) {
    acquire();
    if (argument > 4)
        pending++;
    release();
}

static void request_5(int argument) {
    if (argument & 1) {
        acquire();
        status = argument;
        release();
    } else {
        status = 0;
    }
}

static void request_6(int argument) {
    int locked = 0;
    if (argument < 0) {
        acquire();
        locked = 1;
    }
    pending = argument;
    if (locked && pending != -3)
        release();
}

static void request_7(int argument) {
    acquire();
    while (pending > 0) {
        pending--;
        release();
        acquire();
    }
    release();
}

static void request_8(int argument) {
    acquire();
    if (argument > 8)
        pending++;
    release();
}

static void request_9(int argument) {
    if (argument & 1) {
        acquire();
        status = argument;
        release();
    } else {
        status = 0;
    }
}

static void request_10(int argument) {
    int locked = 0;
    if (argument < 0) {
        acquire();
        locked = 1;
    }
    pending = argument;
    if (locked)
        release();
}

static void request_11(int argument) {
    acquire();
    while (pending > 0) {
        pending--;
        release();
        acquire();
    }
    release();
}

int main(void) {
    while (1) {
        int code = __VERIFIER_nondet_int(), argument = __VERIFIER_nondet_int();
        switch (code) {
        case 0:
            request_0(argument);
            break;
        case 1:
            request_1(argument);
            break;
        case 2:
            request_2(argument);
            break;
        case 3:
            request_3(argument);
            break;
        case 4:
            request_4(argument);
            break;
        case 5:
            request_5(argument);
            break;
        case 6:
            request_6(argument);
            break;
        case 7:
            request_7(argument);
            break;
        case 8:
            request_8(argument);
            break;
        case 9:
            request_9(argument);
            break;
        case 10:
            request_10(argument);
            break;
        case 11:
            request_11(argument);
            break;
        default:
            status = -1;
            break;
        }
        check(!held);
    }
}
