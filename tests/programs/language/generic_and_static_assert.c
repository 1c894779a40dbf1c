// _Generic, _Static_assert, enums (with negative and computed values), typedef and scope shadowing.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

#define KIND(x) _Generic((x), int: 1, long: 2, char *: 3, default: 0)

enum colour { RED, GREEN = 5, BLUE, DARK = -1, MIX = GREEN | (RED + 2) };

_Static_assert(BLUE == 6, "the enumerator after 5");

typedef int number;
int shadow = 1;

int main(void)
{
    enum colour c = BLUE;
    char text[] = "";
    number number = 4;
    assert(KIND(1) == 1 && KIND(1L) == 2 && KIND(&text[0]) == 3 && KIND(1.0) == 0);
    assert(c == 6 && MIX == 7 && DARK < RED);
    assert(number == 4);
    {
        int shadow = 2;
        {
            extern int shadow;
            shadow++;
        }
        assert(shadow == 2);
    }
    assert(shadow == 2);
    return 0;
}
