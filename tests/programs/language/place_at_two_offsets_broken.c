// The same as place_at_two_offsets.c, where a proof was once given that the element is 2.
// expect: unreach-call false
#include <assert.h>

int values[4];

int main(void)
{
    unsigned i = 1;
    int *p = &values[i % 4];
    (*p)++;
    assert(values[1] == 2);
    p = (int *)((char *)p + 6);
    return 0;
}
