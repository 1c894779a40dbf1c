// Where members go under packed, aligned and #pragma pack, and what bit-fields in small unions leave alone.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stddef.h>

#pragma pack(push, 2)
struct capped {
    char c;
    int i __attribute__((aligned(8)));
};
union small {
    unsigned char low : 5;
    unsigned short high : 12;
};
#pragma pack(pop)

struct __attribute__((packed)) tight {
    char c;
    int i;
    short s __attribute__((aligned(4)));
};

typedef int loose __attribute__((aligned(2)));
struct loosely {
    char c;
    loose i;
};

struct __attribute__((packed)) neighbours {
    unsigned a : 3;
    unsigned b : 30;
    char c;
};

int main(void) {
    assert(sizeof(struct capped) == 6 && offsetof(struct capped, i) == 2);
    assert(sizeof(struct tight) == 12 && offsetof(struct tight, i) == 1 && offsetof(struct tight, s) == 8);
    assert(sizeof(struct loosely) == 6 && offsetof(struct loosely, i) == 2 && _Alignof(loose) == 2);
    assert(sizeof(union small) == 2);
    struct neighbours n = {0};
    assert(sizeof n == 6);
    n.b = -1;
    n.c = 7;
    assert(n.a == 0 && n.b == (1u << 30) - 1 && n.c == 7);
    struct { union small u; unsigned char after; } s = {{0}, 99};
    s.u.low = 31;
    assert(s.after == 99 && s.u.high == 31);
    return 0;
}
