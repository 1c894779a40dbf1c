// Assorted: switches with ranges, fall-through and Duff's device, computed jumps, statement expressions.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static int duff(char *to, const char *from, int count) {
    int n = (count + 7) / 8;
    int it = 0;
    switch (count % 8) {
    case 0:
        do {
            *to++ = *from++;
        case 7:
            *to++ = *from++;
        case 6:
            *to++ = *from++;
        case 5:
            *to++ = *from++;
        case 4:
            *to++ = *from++;
        case 3:
            *to++ = *from++;
        case 2:
            *to++ = *from++;
        case 1:
            *to++ = *from++;
            it++;
        } while (--n > 0);
    }
    return it;
}
static int rng(int x) {
    switch (x) {
    case -5 ... - 1:
        return 1;
    case 0:
        return 2;
    case 1 ... 9: {
        int r = 3;
        return r;
    }
    case 'a' ... 'z':
        return 4;
    case INT_MAX:
        return 5;
    case INT_MIN:
        return 7;
    default:
        return 6;
    }
}
static int vm(const unsigned char *c) {
    static const void *const t[] = {&&add, &&sub, &&dbl, &&halt};
    int a = 0;
#define NEXT goto *t[*c++]
    NEXT;
add:
    a += *c++;
    NEXT;
sub:
    a -= *c++;
    NEXT;
dbl:
    a *= 2;
    NEXT;
halt:
    return a;
}
static int vmrel(const unsigned char *c) {
    static const int t[] = {&&x0 - &&x0, &&x1 - &&x0, &&x2 - &&x0};
    int a = 1;
    for (;;) {
        goto *(&&x0 + t[*c++]);
    x0:
        return a;
    x1:
        a += 5;
        continue;
    x2:
        a *= 3;
    }
}
static int sw(long long x) {
    switch (x) {
    case 0x100000000ll:
        return 1;
    case 0:
        return 2;
    }
    return 3;
}
static int swu(unsigned x) {
    switch (x) {
    case -1:
        return 1;
    case 5:
        return 2;
    default:
        return 3;
    }
}
static int swc(signed char x) {
    switch (x) {
    case 200:
        return 1;
    case -56:
        return 2;
    default:
        return 3;
    }
}
static int swb(_Bool x) {
    switch (x) {
    case 0:
        return 4;
    case 1:
        return 5;
    }
    return 6;
}
static int nested(int a, int b) {
    int r = 0;
    switch (a) {
    case 1:
        switch (b) {
        case 1:
            r += 1;
            break;
        case 2:
            r += 2;
            goto out;
        default:
            r += 3;
        }
        r += 10;
        break;
    case 2:
        for (int i = 0; i < 3; i++) {
            if (i == b) continue;
            if (i == 2) break;
            r += 100;
        }
    default:
        r += 1000;
    }
out:
    return r;
}
static int fall(int x) {
    int r = 0;
    switch (x) {
    default:
        r++;
    case 1:
        r += 10;
        break;
    case 2:
        r += 100;
    }
    return r;
}
static int inblk(int x) {
    switch (x)
        if (0) {
        case 1:
            return 11;
        } else {
        case 2:
            return 22;
        }
    return 33;
}
static int dec(int x) {
    switch (x) {
        int y;
    case 1:
        y = 5;
        return y;
    case 2:
        y = 6;
        return y + 1;
    }
    return 0;
}
int main(void) {
    char a[20] = "abcdefghijklmnopqrs", b[20] = {0};
    assert(duff(b, a, 19) == 3 && !memcmp(a, b, 19) && b[19] == 0);
    assert(rng(-3) == 1 && rng(0) == 2 && rng(9) == 3 && rng('q') == 4 && rng(INT_MAX) == 5 && rng(INT_MIN) == 7 &&
           rng(10) == 6 && rng(-6) == 6);
    assert(vm((unsigned char[]){0, 7, 2, 1, 4, 2, 3}) == 20);
    assert(vmrel((unsigned char[]){1, 2, 0}) == 18);
    assert(sw(0x100000000ll) == 1 && sw(0) == 2 && sw(1) == 3 && swu(UINT_MAX) == 1 && swu(5) == 2 && swc(-56) == 2 &&
           swb(1) == 5);
    assert(nested(1, 1) == 11 && nested(1, 2) == 2 && nested(1, 9) == 13 && nested(2, 0) == 1100 &&
           nested(2, 1) == 1100 && nested(3, 0) == 1000);
    assert(fall(0) == 11 && fall(1) == 10 && fall(2) == 100 && inblk(1) == 11 && inblk(2) == 22 && inblk(3) == 33 &&
           dec(2) == 7);
    int v = ({
        int t = 3;
        for (int i = 0; i < 3; i++) t += i;
        t;
    });
    assert(v == 6);
    int w = ({
        __label__ l;
        int i = 0;
    l:
        i++;
        if (i < 4) goto l;
        i;
    });
    assert(w == 4);
    struct {
        int a, b;
    } s = ({
        struct {
            int a, b;
        } q = {1, 2};
        *(typeof(s) *)&q;
    });
    assert(s.b == 2);
#define MAX(a, b)                                                                                                      \
    ({                                                                                                                 \
        __auto_type _a = (a);                                                                                          \
        __auto_type _b = (b);                                                                                          \
        _a > _b ? _a : _b;                                                                                             \
    })
    int i = 3;
    assert(MAX(i++, MAX(2, 1)) == 3 && i == 4);
    for (i = 0; i < 10; i++) {
        int z = ({
            if (i == 5) break;
            i;
        });
        assert(z == i);
    }
    assert(i == 5);
    int c = 0;
    do {
        c++;
        if (c == 2) continue;
        if (c > 3) break;
    } while (c < 10);
    assert(c == 4);
    do c++;
    while (0);
    assert(c == 5);
    return 0;
}
