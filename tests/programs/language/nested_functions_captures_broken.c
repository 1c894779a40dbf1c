// A nested function changes the variable of the function around it, not a copy of it.
// native: yes
// expect: unreach-call false
#include <assert.h>

int main(void) {
    int n = 0;
    void more(void) { n++; }
    more();
    assert(n == 0);
    return 0;
}
