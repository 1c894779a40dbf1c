/* Every element is set before it is compared, and the second number is used only if it was set. */
// expect: undefined-behaviour true
// expect: unreach-call true
// explore: unknown
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int read_number(int *number) {
    if (__VERIFIER_nondet_int()) return -1;
    *number = 3;
    return 0;
}

int main(void) {
    int numbers[5], other;
    for (int i = 0; i < 5; i++) numbers[i] = __VERIFIER_nondet_int();
    int greatest = numbers[0];
    for (int i = 1; i < 5; i++)
        if (numbers[i] > greatest) greatest = numbers[i];
    if (read_number(&other)) return 0;
    assert(other > 2);
    return greatest > other;
}
