// A designator may name an aggregate whose values follow without braces of their own.
// native: yes
// expect: unreach-call true
#include <assert.h>

struct point {
    int x, y;
};
struct shape {
    struct point corners[3];
    int n;
    union {
        int i;
        struct point z;
    };
};

static struct shape triangle = {{{1, 2}, {3, 4}}, .corners[2] = 5, 6, 7, 8};
static struct shape again = {.corners[1] = {5, 6}, .corners[1].y = 7, .n = 9, .z.y = 4, .corners = {[2].x = 1}};
static int rows[][2] = {[1] = 3, 4, [0] = 1, 2};
static struct {
    char c;
    int a[3];
    int last;
} tail = {.a = 1, 2, 3, 4};

int main(void) {
    assert(triangle.corners[0].y == 2 && triangle.corners[1].x == 3);
    assert(triangle.corners[2].x == 5 && triangle.corners[2].y == 6 && triangle.n == 7 && triangle.i == 8);
    assert(again.corners[1].x == 0 && again.corners[2].x == 1 && again.n == 9 && again.z.y == 4);
    assert(sizeof rows == 16 && rows[0][1] == 2 && rows[1][0] == 3 && rows[1][1] == 4);
    assert(tail.c == 0 && tail.a[0] == 1 && tail.a[2] == 3 && tail.last == 4);
    struct point ranged[] = {[0 ... 2] = 1, 2};
    assert(sizeof ranged == 24 && ranged[0].x == 1 && ranged[2].y == 2);
    return 0;
}
