// Layout of structs, unions, packed and aligned types, and bit-fields, for LP64.
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <stddef.h>

struct mixed {
    char c;
    int i;
    char d;
    long l;
    short s;
};

struct inner {
    char a;
    short b;
};

struct outer {
    char c;
    struct inner in;
    char tail[3];
};

struct __attribute__((packed)) tight {
    char c;
    int i;
};

union any {
    char c[5];
    int i;
    short s;
};

struct bits {
    unsigned a : 3;
    unsigned b : 5;
    unsigned c : 25;
};

struct anonymous {
    int kind;
    union {
        int number;
        char *text;
    };
};

int main(void)
{
    assert(offsetof(struct mixed, i) == 4 && offsetof(struct mixed, d) == 8);
    assert(offsetof(struct mixed, l) == 16 && offsetof(struct mixed, s) == 24);
    assert(sizeof(struct mixed) == 32);
    assert(sizeof(struct inner) == 4 && offsetof(struct outer, in) == 2);
    assert(offsetof(struct outer, in.b) == 4 && sizeof(struct outer) == 10);
    assert(sizeof(struct tight) == 5 && offsetof(struct tight, i) == 1);
    assert(sizeof(union any) == 8);
    assert(sizeof(struct bits) == 8);
    assert(offsetof(struct anonymous, text) == 8 && sizeof(struct anonymous) == 16);
    assert(_Alignof(struct mixed) == 8 && _Alignof(struct inner) == 2);
    assert(sizeof(long) == 8 && sizeof(void *) == 8 && sizeof(long long) == 8 && sizeof(short) == 2);
    return 0;
}
