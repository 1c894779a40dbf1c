// Sequence points: commas, the end of a call's arguments, and the ends of functions, which do not overlap.
// expect: undefined-behaviour true
// expect: unreach-call true
// native: yes

#include <assert.h>

static int calls;

static int same(int n) { return n; }
static int count(void) { return ++calls; }

int main(void) {
    int i = 1;
    i = (i++, i) + 1;
    i = same(i++) + 1;
    int both = count() + count();
    assert(i == 4 && both == 3 && calls == 2);
    i += i;
    return (i && i++) ? 0 : 1;
}
