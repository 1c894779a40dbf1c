// The clock seeds random numbers that nobody draws: no value of it makes a difference, so that all states can be enumerated.
// expect: undefined-behaviour true
// expect: valid-memsafety true
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void) {
    srand((unsigned)time(NULL));
    printf("%d\n", 1);
    return 0;
}
