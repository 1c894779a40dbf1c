// A destructor runs when exit is called from a nested function, too.
// native: yes
// expect: unreach-call false
#include <assert.h>
#include <stdlib.h>

static int state;

__attribute__((destructor)) static void check(void) { assert(state == 0); }

static void leave(void) { exit(0); }

int main(void) {
    state = 1;
    leave();
    return 0;
}
