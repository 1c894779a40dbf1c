// qsort sorts, with the program's own comparison, and bsearch finds.
// expect: unreach-call true
#include <assert.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) {
    int l = *(const int *)left, r = *(const int *)right;
    return (l > r) - (l < r);
}

int main(void) {
    int numbers[4] = { 3, 1, 2, 1 }, key = 2;
    qsort(numbers, 4, sizeof *numbers, compare);
    assert(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 2 && numbers[3] == 3);
    assert(bsearch(&key, numbers, 4, sizeof *numbers, compare) == &numbers[2]);
    key = 5;
    assert(!bsearch(&key, numbers, 4, sizeof *numbers, compare));
    return 0;
}
