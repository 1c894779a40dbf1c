// Two lights at a crossing, run by one machine; a phase is skipped when nobody waits.
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
    int phase = 0, north = 0, east = 0;
    while (1) {
        int waiting = __VERIFIER_nondet_int();
        switch (phase) {
        case 0: east = 0; phase = 1; break;
        case 1: if (waiting) phase = 2; break;
        case 2: north = 1; phase = 3; break;
        case 3: if (waiting) phase = 4; break;
        case 4: north = 2; phase = waiting ? 5 : 6; break;
        case 5: north = 0; phase = 6; break;
        case 6: if (waiting) phase = 7; else { north = 1; phase = 7; } break;
        case 7: east = 1; phase = 8; break;
        case 8: if (waiting) phase = 9; break;
        default: east = 0; phase = 0; break;
        }
        check(!(north == 1 && east == 1));
    }
}
