// A number with a point where the format says an integer (C11 7.21.6.1, paragraph 9).
// expect: undefined-behaviour false
#include <stdio.h>

int main(void) {
    double half = 0.5;
    char text[40];
    snprintf(text, sizeof text, "%d", half);
    return 0;
}
