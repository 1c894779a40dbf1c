// Assembly that is not known has no model: it is never taken for something that changes nothing.
// native: yes
// expect: unreach-call false
// explore: unknown
#include <assert.h>

int main(void) {
    int x = 1;
    __asm__ volatile("imull $3, %0, %0" : "+r"(x));
    assert(x == 1);
    return 0;
}
