// Transparent unions take what any of their members takes; modes and vectors have the sizes the machine gives them.
// native: yes
// expect: unreach-call true
#include <assert.h>

typedef union {
    int *number;
    const char *text;
} argument __attribute__((transparent_union));

static int first(argument a) { return *a.number; }

typedef unsigned byte __attribute__((mode(QI)));
typedef int wide __attribute__((mode(DI)));
typedef int vector __attribute__((vector_size(16)));

int main(void) {
    int n = 42;
    assert(first(&n) == 42);
    byte b = 255;
    b++;
    assert(b == 0 && sizeof(byte) == 1);
    wide w = 1;
    w <<= 40;
    assert(w == 1LL << 40);
    assert(sizeof(vector) == 16 && _Alignof(vector) == 16);
    return 0;
}
