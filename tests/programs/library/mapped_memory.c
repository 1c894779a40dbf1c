// Anonymous memory is zero, starts at a page, can be written, and is no leak; a failed mapping is no misaligned pointer.
// expect: unreach-call true
// expect: valid-memsafety true
// expect: undefined-behaviour true
#include <assert.h>
#include <stdint.h>
#include <sys/mman.h>

int main(void)
{
    int *p = mmap(0, 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    assert(p[0] == 0 && p[15] == 0 && ((uintptr_t)p & 4095) == 0);
    p[5] = 7;
    assert(p[5] == 7);
    assert(munmap(p, 64) == 0);
    return 0;
}
