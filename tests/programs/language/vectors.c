// GNU's vectors: operations element by element, without promotion, with numbers of one part, comparisons to masks, elements as lvalues, casts that keep the
// bytes, and shuffles.
// expect: unreach-call true
// native: yes
#include <assert.h>

typedef int Int4 __attribute__((vector_size(16)));
typedef unsigned char Byte16 __attribute__((vector_size(16)));
typedef short Short8 __attribute__((vector_size(16)));
typedef float Float4 __attribute__((vector_size(16)));
typedef double Double2 __attribute__((vector_size(16)));
typedef long Long2 __attribute__((vector_size(16)));

Int4 shared = {1, 2, 3, 4};
Float4 partial = {0.5f};

static Int4 sum(Int4 a, Int4 b) { return a + b; }

int main(void) {
    Int4 a = {10, 20, 30, 40}, old_a = a, c = sum(a, shared);
    assert(c[0] == 11 && c[3] == 44);
    c *= 2;
    assert(c[1] == 44 && (c - a)[0] == 12 && (a / shared)[2] == 10 && (a % 7)[1] == 6 && (100 - a)[3] == 60);
    assert((a << 1)[2] == 60 && (a >> shared)[1] == 5 && (a & 8)[0] == 8 && (a | 1)[1] == 21 && (a ^ shared)[2] == 29);
    assert((-a)[0] == -10 && (~a)[0] == -11 && (+a)[1] == 20);
    Int4 larger = a > 15, same = a == old_a;
    assert(larger[0] == 0 && larger[1] == -1 && same[2] == -1 && (a != old_a)[3] == 0);
    a[2] = 5;
    a[2]++;
    int n = 3;
    a[n] += 2;
    assert(a[2] == 6 && a[3] == 42);
    Int4 old = a++;
    assert(old[0] == 10 && a[0] == 11);
    Float4 f = {1.5f, 2, 3, 4};
    f = f * f + partial;
    assert(f[0] == 2.75f && f[1] == 4 && sizeof(f) == 16 && _Alignof(Float4) == 16);
    Double2 d = {1.5, -2};
    Long2 below = d < 0;
    assert(below[0] == 0 && below[1] == -1 && (d / 2)[0] == 0.75);
    Byte16 bytes = {200, 100};
    bytes += 100;
    assert(bytes[0] == 44 && bytes[1] == 200 && bytes[2] == 100);
    Short8 halves = (Short8)(Int4){0x10002, 3};
    assert(halves[0] == 2 && halves[1] == 1 && halves[2] == 3);
    union {
        Int4 vector;
        int array[4];
    } u = {.vector = shared};
    assert(u.array[1] == 2);
    Int4 reversed = __builtin_shuffle(shared, (Int4){3, 2, 1, 0});
    Int4 mixed = __builtin_shuffle(shared, a, (Int4){0, 4, 1, 13});
    assert(reversed[0] == 4 && reversed[3] == 1 && mixed[1] == 11 && mixed[2] == 2 && mixed[3] == 21);
    Int4 *p = &shared, many[2] = {{1}, {0, 2}};
    (*p)[1] = 9;
    assert(shared[1] == 9 && many[1][1] == 2 && many[0][3] == 0 && (n ? a : shared)[0] == 11);
    return 0;
}
