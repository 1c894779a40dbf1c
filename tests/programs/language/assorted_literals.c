// Assorted: string and character literals, their encodings, escapes and concatenation.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <uchar.h>
int main(void) {
    assert(sizeof("a"
                  "b\0"
                  "c") == 5);
    assert(!memcmp("\x4"
                   "1",
                   "\0041", 3));
    assert("\x41"
           "1"[0] == '1' ||
           1);
    assert(sizeof "\x41"
                  "1" == 3);
    assert(sizeof(L"x"
                  "y") == 12);
    assert(sizeof(u"é€😀") == 10);
    assert(sizeof(U"é€😀") == 16);
    assert(sizeof(u8"é€😀") == 10);
    assert(sizeof("é€😀") == 10);
    assert(L'€' == 0x20ac && u'é' == 0xe9 && U'😀' == 0x1f600);
    assert(u"😀"[0] == 0xd83d && u"😀"[1] == 0xde00);
    assert("\u20ac"[0] == (char)0xe2);
    assert('\0' == 0 && '\a' == 7 && '\b' == 8 && '\f' == 12 && '\n' == 10 && '\r' == 13 && '\t' == 9 && '\v' == 11 &&
           '\\' == 92 && '\'' == 39 && '\"' == 34 && '\?' == 63 && '\e' == 27);
    assert('\xff' == -1 && '\377' == -1 && L'\xff' == 255 && '\12' == '\n' && "\1234"[1] == '4');
    assert('abcd' == 0x61626364);
    assert('ab' == 0x6162);
    char a[] = "x\
y";
    assert(sizeof a == 3);
    const char *p = "hello" + 2;
    assert(*p == 'l' && p[2] == 'o');
    assert(2 ["abc"] == 'c');
    assert(*("abc" + 1) == 'b');
    wchar_t w[] = L"ab";
    w[0]++;
    assert(w[0] == L'b' && w[2] == 0);
    char16_t c16[] = {u"hi"};
    assert(sizeof c16 == 6);
    char32_t c32[4] = U"z";
    assert(c32[1] == 0);
    static const char m[][4] = {"one", "two", "abcd"};
    assert(m[2][3] == 'd' && m[1][0] == 't' && sizeof m == 12);
    const char *tbl[] = {
        "a",
        [3] = "d",
    };
    assert(sizeof tbl == 32 && !tbl[1] && *tbl[3] == 'd');
    assert(__func__[0] == 'm' && sizeof __func__ == 5 && __FUNCTION__[3] == 'n' && __PRETTY_FUNCTION__[1] == 'a');
    assert(sizeof(L"") == 4 && sizeof("") == 1);
    assert(strlen("a\0b") == 1);
    unsigned char u[] = "\200\xfe";
    assert(u[0] == 128 && u[1] == 254);
    signed char s[3] = {"\x80"};
    assert(s[0] == -128);
    assert("a??/b"[1] == '?');
    return 0;
}
