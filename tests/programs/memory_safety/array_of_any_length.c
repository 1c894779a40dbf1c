// A block whose size is an input is filled by index, read by a pointer, and freed. Safe, because both loops end where the block does: that takes
// 0 <= i, that the block has 4 * n bytes, and that the pointer and the index keep their distance.
//
// expect: valid-memsafety true
// explore: unknown
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n >= 1000000)
        return 0;
    int *a = malloc(n * sizeof *a);
    for (int i = 0; i < n; i++)
        a[i] = i;
    int *p = a, most = 0;
    for (int i = 0; i < n; i++, p++)
        if (*p > most)
            most = *p;
    free(a);
    return 0;
}
