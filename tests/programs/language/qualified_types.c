// Types are told apart with the qualifiers of what they point to; values have none of their own.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stddef.h>
#define TY(x)                                                                                                \
    _Generic((x), char *: 1, const char *: 2, volatile char *: 3, const volatile char *: 4, int *: 5,        \
        const int *: 6, int **: 7, int *const *: 8, const int **: 9, int: 10, const int (*)[3]: 12,           \
        int (*)[3]: 13, int (*)(int): 14, void *: 15, const void *: 16, default: 0)
struct s { const int c; int v; char a[4]; const char ca[4]; };
int f(int x) { return x; }
int g(const int x);
int main(void)
{
    char *p = 0;
    const char *cp = 0;
    volatile char *vp = 0;
    const volatile char *cvp = 0;
    const int ci = 3;
    int i = 0;
    int a[3];
    const int ca[3] = {1,2,3};
    char *const pc = 0;
    int *const *ipcp = 0;
    int **pp = 0;
    const int **cpp = 0;
    struct s s = {1};
    const struct s cs = {1};
    struct s *ps = &s;
    const struct s *pcs = &s;
    assert(TY(p) == 1);
    assert(TY(cp) == 2);
    assert(TY(vp) == 3);
    assert(TY(cvp) == 4);
    assert(TY(pc) == 1);
    assert(TY(&i) == 5);
    assert(TY(&ci) == 6);
    assert(TY(pp) == 7);
    assert(TY(ipcp) == 8);
    assert(TY(cpp) == 9);
    assert(TY(ci) == 10);
    assert(TY(a) == 5);
    assert(TY(ca) == 6);
    assert(TY(&a) == 13);
    assert(TY(&ca) == 12);
    assert(TY(f) == 14);
    assert(TY(&f) == 14);
    assert(TY(g) == 14);
    assert(TY("lit") == 1);
    assert(TY(&s.c) == 6);
    assert(TY(&s.v) == 5);
    assert(TY(&cs.v) == 6);
    assert(TY(&pcs->v) == 6);
    assert(TY(&ps->v) == 5);
    assert(TY(s.a) == 1);
    assert(TY(cs.a) == 2);
    assert(TY(s.ca) == 2);
    assert(TY(&ca[1]) == 6);
    assert(TY(ca + 1) == 6);
    assert(TY(&*cp) == 2);
    assert(TY(cp + 1) == 2);
    assert(TY(1 ? p : cp) == 2);
    assert(TY(1 ? cp : p) == 2);
    assert(TY(1 ? (void*)p : cp) == 16);
    assert(TY(1 ? p : (void*)0) == 1);
    assert(TY(1 ? cp : vp) == 4);
    assert(TY((const char *)p) == 2);
    assert(TY((char *)cp) == 1);
    assert(TY((const int)3) == 10);
    assert(__builtin_types_compatible_p(const int, int));
    assert(!__builtin_types_compatible_p(const int *, int *));
    assert(__builtin_types_compatible_p(int *const, int *));
    assert(__builtin_types_compatible_p(int[3], const int[3]));
    assert(__builtin_types_compatible_p(int[], int[5]));
    assert(!__builtin_types_compatible_p(int[3], int[5]));
    assert(!__builtin_types_compatible_p(int, unsigned));
    assert(!__builtin_types_compatible_p(char, signed char));
    assert(__builtin_types_compatible_p(__typeof__(ci), int));
    assert(!__builtin_types_compatible_p(__typeof__(&ci), int*));
    assert(__builtin_types_compatible_p(__typeof__(&ca), const int (*)[3]));
    assert(!__builtin_types_compatible_p(long, long long));
    assert(!__builtin_types_compatible_p(int(*)(const char*), int(*)(char*)));
    assert(__builtin_types_compatible_p(int(*)(const int), int(*)(int)));
    typedef const char *cstr;
    typedef char arr[4];
    typedef const arr carr;
    carr x = "abc";
    assert(TY(x) == 2);
    cstr y = x;
    assert(TY(y) == 2);
    const __auto_type z = p;
    assert(TY(z) == 1);
    assert(_Generic(1.0f, float: 1, double: 2) == 1);
    assert(_Generic('a', int: 1, char: 2) == 1);
    assert(_Generic((char)1, char: 2, int: 1) == 2);
    assert(_Generic(1L, long: 1, long long: 2) == 1);
    assert(_Generic((_Bool)1, _Bool: 1, int: 2)==1);
    enum e { E } e = E; assert(_Generic(e, unsigned: 1, int: 2) == 1); assert(_Generic(E, unsigned: 1, int: 2) == 2); assert(_Generic(L'a', int: 1, default: 2) == 1); assert(_Generic(L"a", int *: 1, const int *: 2, default: 3) == 1); assert(_Generic(u8"a", char *: 1, default: 3) == 1);assert(_Generic(u"a", unsigned short *: 1, default: 3) == 1);
    assert(_Generic(sizeof 1, unsigned long: 1, default: 2) == 1);
    assert(_Generic(&p - &p, long: 1, default: 2) == 1);
    assert(_Generic(+(char)1, int: 1, default: 2) == 1);
    return 0;
}
