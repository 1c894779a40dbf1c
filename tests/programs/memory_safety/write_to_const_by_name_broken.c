/* The conversion is in the assignment itself. */
// expect: valid-memsafety false
// expect: undefined-behaviour false
static int set(int n) {
    const int limit = n;
    *(int *)&limit = 3;
    return limit;
}

int main(void) { return set(1); }
