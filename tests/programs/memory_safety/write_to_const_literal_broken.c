/* A compound literal of a constant type is no memory to write to. */
// expect: valid-memsafety false
// expect: undefined-behaviour false
int main(void) {
    int *numbers = (int *)(const int[]){1, 2};
    numbers[0] = 3;
    return numbers[1];
}
