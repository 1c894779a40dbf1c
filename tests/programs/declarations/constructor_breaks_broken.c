// A constructor that nothing calls sets what main takes to be zero.
// native: yes
// expect: unreach-call false
#include <assert.h>

int ready;

__attribute__((constructor)) static void init(void) { ready = 1; }

int main(void) {
    assert(!ready);
    return 0;
}
