// A structure that is stored atomically is never seen torn; one that is not, is.
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { int x, y; };
_Atomic struct pair whole;
struct pair torn;

void *writer(void *unused)
{
    struct pair one = {1, 1};
    atomic_store(&whole, one);
    torn = one;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    struct pair seen = atomic_load(&whole);
    if (seen.x != seen.y)
        return 1;
    seen = torn;
    assert(seen.x == seen.y);
    return 0;
}
