// What the library sets is set: a clock that was read, a lock in a frame. An address that is computed from labels is no address beyond its object.
// expect: undefined-behaviour true
// explore: unknown
#include <threads.h>
#include <time.h>

int main(void)
{
    static const int distances[] = {&&first - &&first, &&second - &&first};
    struct timespec deadline;
    mtx_t lock;
    goto *(&&first + distances[1]);
first:
    return 1;
second:
    mtx_init(&lock, mtx_timed);
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += 1;
    if (mtx_timedlock(&lock, &deadline) == thrd_success)
        mtx_unlock(&lock);
    mtx_destroy(&lock);
    return 0;
}
