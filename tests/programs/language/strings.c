// The string and memory functions of <string.h>.
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <string.h>

int main(void)
{
    char a[8] = "abcdef", b[8];
    memset(b, 'x', sizeof b);
    assert(b[7] == 'x');
    assert(strlen(a) == 6);
    assert(strcpy(b, a) == b && strcmp(a, b) == 0);
    b[1] = 'z';
    assert(strcmp(a, b) < 0 && strcmp(b, a) > 0 && strncmp(a, b, 1) == 0);
    memmove(a + 1, a, 4);
    assert(memcmp(a, "aabcdf", 7) == 0);
    memmove(a, a + 1, 4);
    assert(strcmp(a, "abcddf") == 0);
    assert(strchr(a, 'd') == a + 3 && strrchr(a, 'd') == a + 4);
    assert(strchr(a, 'q') == NULL && strchr(a, 0) == a + 6);
    memset(b, 'y', sizeof b);
    strncpy(b, "hi", 4);
    assert(b[0] == 'h' && b[2] == 0 && b[3] == 0 && b[4] == 'y');
    strncpy(b, "hello", 2);
    assert(b[1] == 'e' && b[2] == 0);
    strcat(b, "y!");
    assert(strcmp(b, "hey!") == 0);
    assert(memcmp("\x01", "\xff", 1) < 0);
    return 0;
}
