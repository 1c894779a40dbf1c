// Assorted: packed headers, bit-fields in unions, of enumerations and of 50 bits.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct __attribute__((packed)) hdr {
    uint8_t v : 4, h : 4;
    uint16_t len;
    uint32_t id;
    uint64_t big;
};
union u {
    struct {
        uint32_t lo : 12, mid : 10, hi : 10;
    };
    uint32_t w;
};
struct flags {
    _Bool a : 1, b : 1;
    enum { X, Y, Z } e : 2;
    signed s : 4;
    unsigned long long l : 50;
};
static uint32_t be(const uint8_t *p) { return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
int main(void) {
    uint8_t raw[15] = {0x45, 0x34, 0x12, 1, 2, 3, 4, 9, 8, 7, 6, 5, 4, 3, 2};
    struct hdr *h = (void *)raw;
    assert(h->v == 5 && h->h == 4 && h->len == 0x1234 && h->id == 0x04030201 && h->big == 0x0203040506070809 &&
           sizeof *h == 15);
    h->h = 0xf;
    h->id = be(raw + 3);
    assert(raw[0] == 0xf5 && raw[3] == 4 && raw[6] == 1);
    struct hdr c = *h;
    c.big >>= 8;
    assert(c.big == 0x02030405060708 && h->big == 0x0203040506070809);
    union u x = {.w = 0xffffffff};
    x.mid = 0;
    assert(x.w == 0xffc00fff);
    x.hi = 1;
    assert(x.w == 0x00400fff);
    x.lo++;
    assert(x.lo == 0 && x.w == 0x00400000);
    struct flags f = {.a = 2, .e = Z, .s = -8, .l = ~0ull};
    assert(f.a == 1 && !f.b && f.e == Z && f.s == -8 && f.l == (1ull << 50) - 1);
    f.s >>= 1;
    assert(f.s == -4);
    f.s -= 5;
    assert(f.s == 7);
    f.b = !f.b;
    assert(f.b);
    f.e = f.e + 1;
    assert(f.e == 3);
    f.l++;
    assert(f.l == 0);
    f.l--;
    assert(f.l == (1ull << 50) - 1);
    struct flags g = f;
    g.a = 0;
    assert(f.a && g.b);
    int r = (f.s = 15);
    assert(r == -1);
    r = f.s++;
    assert(r == -1 && f.s == 0);
    r = f.e--;
    assert(r == 3 && f.e == 2);
    unsigned k = f.a << 3 | f.b << 2 | f.e;
    assert(k == 14);
    struct {
        int a : 5, b : 5;
    } arr[3] = {{1, 2}, {-1, -2}, {15, -16}};
    assert(arr[1].a + arr[2].b == -17 && sizeof arr == 12);
    arr[0].a = arr[2].a + 1;
    assert(arr[0].a == -16);
    struct {
        unsigned a : 1;
    } one = {3};
    assert(one.a == 1);
    one.a += 1;
    assert(!one.a);
    assert(-one.a == 0 && one.a - 1 < 0);
    return 0;
}
