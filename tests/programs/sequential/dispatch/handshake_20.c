// A server in the manner of a secure shell: 20 states, an input in each, and a key that must have
// been exchanged (or resumed) when data flows.
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
    int state = 1, key = 0, resumed = 0;
    while (1) {
        int input = __VERIFIER_nondet_int();
        switch (state) {
        case 1:
            if (input == 0) {
                resumed = 1;
                key = 1;
                state = 11;
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
                state = 1;
            break;
        case 4:
            state = 5;
            break;
        case 5:
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
            state = 10;
            break;
        case 10:
            key = 1;
            state = 11;
            break;
        case 11:
            state = 12;
            break;
        case 12:
            state = 13;
            break;
        case 13:
            if (input > 13)
                state = 14;
            else if (input == 13)
                state = 1;
            break;
        case 14:
            state = resumed ? 20 : 15;
            break;
        case 15:
            state = 16;
            break;
        case 16:
            state = 17;
            break;
        case 17:
            state = 18;
            break;
        case 18:
            if (input > 18)
                state = 19;
            else if (input == 18)
                state = 1;
            break;
        case 19:
            state = resumed ? 20 : 20;
            break;
        case 20:
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
