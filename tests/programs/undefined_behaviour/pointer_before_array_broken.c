// The classic sentinel one element before an array, counted down to by a loop: the last step leaves the array.
// expect: undefined-behaviour false
// expect: unreach-call true

int numbers[4];

int main(void) {
    int n = 0;
    for (int *p = numbers + 3; p >= numbers; p--)
        n++;
    return n;
}
