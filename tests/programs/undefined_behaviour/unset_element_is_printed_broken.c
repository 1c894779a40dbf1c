// An element that was never set is handed to the library, which may do anything then (DR 451), by way of a function of the program.
//
// expect: undefined-behaviour false
#include <stdio.h>

static void print(int number) { printf("%d\n", number); }

int main(void) {
    int numbers[3];
    numbers[0] = 1;
    print(numbers[0]);
    print(numbers[1]);
    return 0;
}
