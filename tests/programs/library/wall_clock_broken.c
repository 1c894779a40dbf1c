// CLOCK_REALTIME can be set back between two calls.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <time.h>

int main(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_REALTIME, &before);
    clock_gettime(CLOCK_REALTIME, &after);
    assert(after.tv_sec >= before.tv_sec);
    return 0;
}
