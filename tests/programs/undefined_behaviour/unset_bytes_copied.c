// Copying what was never set decides nothing: structures with padding and unset members, and memcpy.
// expect: undefined-behaviour true
// expect: unreach-call true
// native: yes

#include <assert.h>
#include <string.h>

struct mixed { char c; int x, unused; };
static struct mixed copy;

int main(void) {
    struct mixed local, second;
    local.c = 1;
    local.x = 2;
    copy = local;
    memcpy(&second, &copy, sizeof second);
    assert(second.c == 1 && second.x == 2);
    return 0;
}
