// Pointer arithmetic and difference, two-dimensional arrays, pointers to pointers and to arrays, const tables.
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <stddef.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

void swap(int **p, int **q)
{
    int *t = *p;
    *p = *q;
    *q = t;
}

int main(void)
{
    int m[2][3] = {{1, 2, 3}, {4, 5, 6}};
    int (*row)[3] = m;
    int *p = &m[0][0], *q = &m[1][2], total = 0;
    assert(q - p == 5 && (char *)q - (char *)p == 20);
    assert(row[1][0] == 4 && *(*(m + 1) + 1) == 5 && 2 [p] == 3);
    assert(&m[1] - &m[0] == 1 && sizeof m == 24 && sizeof *row == 12);
    assert(p < q && p + 5 == q && !(p == q));
    swap(&p, &q);
    assert(*p == 6 && *q == 1);
    assert(*--p == 5 && *q++ == 1 && *q == 2);
    for (const int *d = days; d != days + 12; d++)
        total += *d;
    assert(total == 365);
    ptrdiff_t back = &days[2] - &days[7];
    assert(back == -5);
    return 0;
}
