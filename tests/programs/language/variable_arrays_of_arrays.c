// Arrays of variable length whose elements are such arrays: sizes are fixed where the type is written, also by `typedef`, in parameters,
// in casts and behind pointers; `sizeof` evaluates an operand of such a type.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int sum(int n, int m, int a[n][m]) {
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += a[i][j];
    return s;
}

static int weighted(int n, int m, int (*a)[m]) {
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            s += a[i][j] * (i + 1);
    return s;
}

static int row_size(int n, int a[static n][n + 1]) { return sizeof a[0]; }

static int corner(int, int[*][*]);
static int corner(int n, int a[n][n]) { return a[n - 1][n - 1]; }

static int evaluated(int n, int a[n++]) { return n + a[0]; }

int main(void) {
    int n = 3, m = 4;
    int a[n][m];
    assert(sizeof a == 48 && sizeof a[0] == 16 && sizeof a[0][0] == 4);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i * m + j;
    assert(sum(n, m, a) == 66);
    assert(weighted(n, m, a) == 6 + 22 * 2 + 38 * 3);

    int(*p)[m] = a;
    p++;
    assert((*p)[1] == 5 && p - a == 1);
    p += 1;
    assert(p[0][3] == 11 && p[-2][1] == 1 && (char *)(a + 2) - (char *)a == 32);

    typedef int fixed[n];
    n = 10;
    fixed t;
    t[2] = 7;
    assert(sizeof t == 12 && sizeof(fixed) == 12 && t[2] == 7);
    n = 3;

    int b[n][m][2];
    b[2][3][1] = 7;
    assert(sizeof b == 96 && ((int *)b)[23] == 7 && &b[1][0][0] - &b[0][0][0] == 8);

    int k = 0;
    assert(sizeof(int[++k]) == 4 && k == 1);
    assert(sizeof(a[k++]) == 16 && k == 2);
    assert(sizeof(a[0][k++]) == 4 && k == 2);
    int c[2][k], d[k][2];
    c[1][1] = 5;
    d[1][0] = 3;
    assert(sizeof c == 16 && c[1][1] == 5 && sizeof d[0] == 8 && d[1][0] == 3);

    int(*q)[n][m] = malloc(sizeof *q);
    assert(sizeof *q == 48);
    (*q)[2][3] = 9;
    assert((*q)[2][3] == 9 && ((int(*)[m])*q)[2][3] == 9);
    free(q);

    int e[3][4], f[2][2] = {{1, 2}, {3, 4}};
    assert(row_size(3, e) == 16 && corner(2, f) == 4 && evaluated(5, f[0]) == 7);

    for (int i = 1; i < 5; i++) {
        char v[i][i + 1];
        memset(v, 0, sizeof v);
        assert(sizeof v == i * (i + 1));
        v[i - 1][i] = i;
        assert(v[i - 1][i] == i);
    }
    typeof(a) *whole = &a;
    assert((*whole)[2][3] == 11 && sizeof *whole == 48);
    double wide[n];
    assert((uintptr_t)wide % _Alignof(double) == 0);
    return 0;
}
