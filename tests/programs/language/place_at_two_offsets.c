// An address may mean one array of bytes at several offsets: it is written once, not once for each.
// expect: unreach-call true
#include <assert.h>

int values[4];

int main(void)
{
    unsigned i = 1;
    int *p = &values[i % 4];
    (*p)++;
    assert(values[1] == 1);
    p = (int *)((char *)p + 6);
    return 0;
}
