// A server in the manner of a secure shell: 40 states, an input in each, and a key that must have
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
                state = 21;
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
            state = 15;
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
            state = 20;
            break;
        case 20:
            key = 1;
            state = 21;
            break;
        case 21:
            state = 22;
            break;
        case 22:
            state = 23;
            break;
        case 23:
            if (input > 23)
                state = 24;
            else if (input == 23)
                state = 1;
            break;
        case 24:
            state = resumed ? 40 : 25;
            break;
        case 25:
            state = 26;
            break;
        case 26:
            state = 27;
            break;
        case 27:
            state = 28;
            break;
        case 28:
            if (input > 28)
                state = 29;
            else if (input == 28)
                state = 1;
            break;
        case 29:
            state = resumed ? 40 : 30;
            break;
        case 30:
            state = 31;
            break;
        case 31:
            state = 32;
            break;
        case 32:
            state = 33;
            break;
        case 33:
            if (input > 33)
                state = 34;
            else if (input == 33)
                state = 1;
            break;
        case 34:
            state = resumed ? 40 : 35;
            break;
        case 35:
            state = 36;
            break;
        case 36:
            state = 37;
            break;
        case 37:
            state = 38;
            break;
        case 38:
            if (input > 38)
                state = 39;
            else if (input == 38)
                state = 1;
            break;
        case 39:
            state = resumed ? 40 : 40;
            break;
        case 40:
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
