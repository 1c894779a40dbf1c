// Variable-length arrays, alloca, and a flexible array member.
// expect: unreach-call true
// expect: termination true
#include <alloca.h>
#include <assert.h>
#include <stdlib.h>

struct message {
    int length;
    int body[];
};

int sum(int n, int a[n])
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += a[i];
    return total;
}

int squares(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i * i;
    assert(sizeof a == n * sizeof(int));
    return sum(n, a);
}

int main(void)
{
    assert(squares(3) == 5 && squares(4) == 14);
    int *p = alloca(2 * sizeof *p);
    p[0] = 1;
    p[1] = 2;
    assert(sum(2, p) == 3);
    struct message *m = malloc(sizeof *m + 3 * sizeof(int));
    if (!m)
        return 0;
    assert(sizeof *m == 4);
    m->length = 3;
    for (int i = 0; i < m->length; i++)
        m->body[i] = i + 1;
    assert(sum(m->length, m->body) == 6);
    free(m);
    return 0;
}
