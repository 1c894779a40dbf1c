// A function is called as one of another type, but the evaluation of its argument ends the program before.
//
// expect: undefined-behaviour true
#include <stdlib.h>

static int half(int x) { return x / 2; }
static int leave(void) { exit(0); }

int main(void) { return ((int (*)(int, int))half)(leave(), 1); }
