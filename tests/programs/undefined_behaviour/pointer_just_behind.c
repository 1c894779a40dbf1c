// A pointer just behind the last element may be computed and compared, forwards from the heap and backwards into a string.
// expect: undefined-behaviour true
// expect: unreach-call true
// native: yes

#include <stdlib.h>

static char text[] = "abc";

int main(void) {
    int *first = malloc(3 * sizeof(int));
    if (!first)
        return 0;
    int *end = first + 3;
    for (int *p = first; p != end; p++)
        *p = 1;
    char *c = text + sizeof text;
    while (c > text)
        c--;
    free(first);
    return 0;
}
