// i386 aligns numbers of eight bytes to eight where they stand alone, and to four inside of records: `__alignof__` gives the former, `_Alignof`
// the least.
// expect: unreach-call true
// data-model: ILP32
#include <assert.h>

struct Mixed {
    char c;
    long long number;
};
struct Doubles {
    char c;
    double number;
};

long long alone;

int main(void) {
    struct Mixed *p = 0;
    assert(__alignof__(long long) == 8 && _Alignof(long long) == 4 && __alignof__(double) == 8 && _Alignof(double) == 4);
    assert(sizeof(struct Mixed) == 12 && sizeof(struct Doubles) == 12 && __alignof__(struct Mixed) == 4);
    assert(__alignof__(p->number) == 4 && __alignof__(alone) == 8 && __alignof__(long long[2]) == 8);
    assert(sizeof(long double) == 12 && _Alignof(long double) == 4);
    return 0;
}
