// A pointer that leads six elements into an array of four: C gives the sum no meaning, although the pointer is never used (C11 6.5.6p8).
// expect: undefined-behaviour false
// expect: valid-memsafety true

int numbers[4];

int main(void) {
    int *p = numbers;
    p = p + 6;
    return p == 0;
}
