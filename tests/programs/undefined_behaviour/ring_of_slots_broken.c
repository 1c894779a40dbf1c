// The reader does not look whether a slot was written.
// expect: undefined-behaviour false
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int ring[4];
    unsigned head = 0, tail = 0;
    for (int k = 0; k < 5; k++) {
        if (__VERIFIER_nondet_int()) {
            if (head - tail < 4) {
                ring[head % 4] = k;
                head++;
            }
        } else {
            if (ring[tail % 4] == 100) {
                return 1;
            }
            tail++;
        }
    }
    return 0;
}
