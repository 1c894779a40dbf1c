// The index may be read before or after it is changed: undefined, not only open (C11 6.5p2).
// expect: undefined-behaviour false

int squares[4];

int main(void) {
    int i = 0;
    squares[i] = i++;
    return 0;
}
