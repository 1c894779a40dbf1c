// Scalars in the other byte order have no model; the first byte of the number is the most significant one.
// expect: unreach-call true
// explore: unknown
// native: yes
#include <assert.h>

struct __attribute__((scalar_storage_order("big-endian"))) big {
    int x;
};

int main(void) {
    struct big b;
    b.x = 1;
    assert(*(char *)&b == 0);
    return 0;
}
