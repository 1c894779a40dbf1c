// Only a summary is known of `%a`: how long its text is must not decide about bytes behind it.
// expect: unreach-call true
// explore: unknown
// auto: unknown
#include <assert.h>
#include <stdio.h>

int main(void) {
    char text[400] = "2.000000";
    snprintf(text, 3, "%a", 2.0);
    assert(text[2] == 0);
    return 0;
}
