// Initialisers: designated, ranges, strings, nested, compound literals, zero fill.
// expect: unreach-call true
// expect: termination true
#include <assert.h>

struct point {
    int x, y;
};

struct line {
    struct point from, to;
    char name[4];
};

int sparse[6] = {[4] = 40, 50, [1] = 10};
int filled[5] = {[0 ... 2] = 7};
struct line line = {.to.y = 4, .from = {1, 2}, .name = "ab"};
int grid[2][3] = {{1, 2, 3}, {4}};
const char *const words[] = {"zero", "one", "two"};
char exact[3] = "abc";
char counted[] = "abc";

int sum(struct point p)
{
    return p.x + p.y;
}

int main(void)
{
    struct point local = {.y = 9};
    int *three = (int[]){1, 2, 3};
    assert(sparse[0] == 0 && sparse[1] == 10 && sparse[4] == 40 && sparse[5] == 50);
    assert(filled[2] == 7 && filled[3] == 0);
    assert(line.from.x == 1 && line.from.y == 2 && line.to.x == 0 && line.to.y == 4);
    assert(line.name[1] == 'b' && line.name[2] == 0 && line.name[3] == 0);
    assert(grid[0][2] == 3 && grid[1][0] == 4 && grid[1][1] == 0);
    assert(sizeof words / sizeof words[0] == 3 && words[2][0] == 't');
    assert(sizeof exact == 3 && exact[2] == 'c' && sizeof counted == 4);
    assert(local.x == 0 && local.y == 9);
    assert(sum((struct point){3, 4}) == 7);
    assert(three[2] == 3);
    local = (struct point){.x = 1};
    assert(local.x == 1 && local.y == 0);
    return 0;
}
