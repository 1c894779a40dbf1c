// The loop has no other end than exit.
// expect: termination true
// explore: unknown
extern int __VERIFIER_nondet_int(void);
#include <stdlib.h>

int main(void)
{
    int x = __VERIFIER_nondet_int();
    while (1) {
        if (x <= 0)
            exit(1);
        x--;
    }
    return 0;
}
