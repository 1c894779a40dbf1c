// A resolver chooses, before constructors run, which function a name means.
// native: yes
// expect: unreach-call true
#include <assert.h>

static int one(void) { return 1; }
static int two(void) { return 2; }
static int which = 1;

static int (*resolve(void))(void) { return which ? two : one; }

int chosen(void) __attribute__((ifunc("resolve")));

static int seen;
__attribute__((constructor)) static void early(void) { seen = chosen(); }

int main(void) {
    which = 0;
    assert(seen == 2);
    assert(chosen() == 2);
    int (*p)(void) = chosen;
    assert(p() == 2);
    return 0;
}
