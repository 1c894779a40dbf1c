// Any bytes: what was there before is gone, what lies beside it stays.
// expect: unreach-call false
#include <assert.h>
#include <stddef.h>
extern void __VERIFIER_nondet_memory(void *, size_t);

int main(void) {
    unsigned char bytes[3] = {1, 2, 3};
    __VERIFIER_nondet_memory(bytes + 1, 1);
    assert(bytes[0] == 1 && bytes[2] == 3);
    assert(bytes[1] == 2);
    return 0;
}
