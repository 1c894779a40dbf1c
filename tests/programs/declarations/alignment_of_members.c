// What `__alignof__` says of members, which attributes align more or less than their types.
// expect: unreach-call true
// native: yes
#include <assert.h>

struct Aligned {
    char c;
    _Alignas(16) int x;
    int array[2] __attribute__((aligned(8)));
};
struct Packed {
    char c;
    int i __attribute__((packed));
    struct {
        long inner;
    };
};

int main(void) {
    struct Aligned a, *p = &a;
    struct Packed b;
    assert(__alignof__(a.x) == 16 && __alignof__(p->x) == 16 && __alignof__(a.c) == 1);
    assert(__alignof__(a.array) == 8 && __alignof__(a.array[0]) == 4);
    assert(__alignof__(b.i) == 1 && __alignof__(b.inner) == 8 && __alignof__(struct Packed) == 8);
    assert(__alignof__(long long) == 8 && _Alignof(long long) == 8);
    return 0;
}
