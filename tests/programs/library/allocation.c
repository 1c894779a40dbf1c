// Products that overflow are refused, alignments are kept.
// expect: unreach-call true
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    volatile size_t huge = SIZE_MAX / 2 + 1;
    assert(calloc(huge, 2) == 0);
    assert(reallocarray(0, huge, 4) == 0);
    int *zeros = calloc(3, sizeof *zeros);
    assert(zeros[0] == 0 && zeros[2] == 0);
    free(zeros);
    void *line, *page = aligned_alloc(4096, 4096);
    assert((uintptr_t)page % 4096 == 0);
    assert(posix_memalign(&line, 64, 10) == 0 && (uintptr_t)line % 64 == 0);
    assert(posix_memalign(&line, 3, 10) == EINVAL);
    free(line);
    free(page);
    return 0;
}
