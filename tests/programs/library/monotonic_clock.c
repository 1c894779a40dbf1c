// CLOCK_MONOTONIC does not go back, whichever thread looks.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert(before.tv_nsec >= 0 && before.tv_nsec < 1000000000);
    assert(after.tv_sec > before.tv_sec || (after.tv_sec == before.tv_sec && after.tv_nsec >= before.tv_nsec));
    return 0;
}
