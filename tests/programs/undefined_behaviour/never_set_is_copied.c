// Indeterminate bytes are copied, and are compared only where they are set.
// expect: undefined-behaviour true
// explore: unknown
#include <stdlib.h>

struct pair {
    int a;
    unsigned low : 3, high : 5;
};

int main(void)
{
    struct pair p, q;
    p.a = 1;
    p.high = 2;
    q = p;
    int *h = malloc(2 * sizeof *h), copy = h[1];
    h[0] = 5;
    int result = h[0] == 5 && q.a == 1 && q.high == 2 ? 0 : copy;
    copy = 0;
    if (copy)
        result = 1;
    free(h);
    return result;
}
