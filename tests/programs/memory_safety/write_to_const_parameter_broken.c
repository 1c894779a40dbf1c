// A parameter that is declared constant is written to.
//
// expect: valid-memsafety false
// expect: undefined-behaviour false
static int twice(const int x) {
    int *p = (int *)&x;
    *p = 2 * x;
    return x;
}

int main(void) { return twice(1) - 2; }
