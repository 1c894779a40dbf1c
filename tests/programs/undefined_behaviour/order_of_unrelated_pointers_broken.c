// Two variables have no order (C11 6.5.8p5).
// expect: undefined-behaviour false
// expect: valid-memsafety true

int a, b;

int main(void) {
    int *p = &a, *q = &b;
    return p < q;
}
