// Bytes that are only ever copied, never read or written as words, still have their values. Impact once moved none of them when they
// were copied one by one into an object that is read as a word, and called this program correct.
// expect: unreach-call false
// expect: no-overflow true
// expect: termination true
#include <assert.h>
#include <string.h>
extern _Bool __VERIFIER_nondet_bool(void);
unsigned char source[2] = {1, 2};
unsigned target;
int main(void)
{
    unsigned long n = __VERIFIER_nondet_bool() ? 2 : 1;
    memcpy(&target, source, n);
    assert(target != 0x201);
    return 0;
}
