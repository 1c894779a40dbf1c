// A server with 10 states in which one input in the third state leads to the data before a key was
// exchanged.
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
    int state = 1, key = 0, resumed = 0;
    while (1) {
        int input = __VERIFIER_nondet_int();
        switch (state) {
        case 1:
            if (input == 0) {
                resumed = 1;
                key = 1;
                state = 6;
            } else {
                resumed = 0;
                key = 0;
                state = 2;
            }
            break;
        case 2:
            state = 3;
            break;
        case 3:
            if (input > 3)
                state = 4;
            else if (input == 3)
                state = 10;
            break;
        case 4:
            state = 5;
            break;
        case 5:
            key = 1;
            state = 6;
            break;
        case 6:
            state = 7;
            break;
        case 7:
            state = 8;
            break;
        case 8:
            if (input > 8)
                state = 9;
            else if (input == 8)
                state = 1;
            break;
        case 9:
            state = resumed ? 10 : 10;
            break;
        case 10:
            check(key == 1);
            if (input < 0) {
                key = 0;
                state = 1;
            }
            break;
        default:
            reach_error();
        }
    }
}
