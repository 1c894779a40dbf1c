/* Constants of frames, one for each call and each iteration, are initialised again and again, and only read through pointers, even through those without `const`. */
// expect: valid-memsafety true
// expect: undefined-behaviour true
struct range {
    int low, high[2];
};

static int width(const struct range *range) { return range->high[1] - range->low; }

static int sum(int n) {
    const int own = n;
    int *place = (int *)&own;
    return n > 0 ? sum(n - 1) + *place : *place;
}

int main(void) {
    int total = 0;
    for (int i = 0; i < 2; i++) {
        const struct range range = {i, {i, i + 1}};
        total += width(&range);
    }
    return total + sum(2) - 5;
}
