// A structure that is stored, exchanged and compared atomically is never seen torn, and no compare-and-exchange is lost.
// expect: unreach-call true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct triple { int x, y, z; };
_Atomic struct triple whole;

static void bump(void)
{
    struct triple old = atomic_load(&whole), new;
    do {
        new.x = old.x + 1;
        new.y = old.y + 1;
        new.z = old.z + 1;
    } while (!atomic_compare_exchange_strong(&whole, &old, new));
}

void *thread_body(void *unused)
{
    bump();
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, thread_body, 0);
    bump();
    struct triple seen = whole;
    assert(seen.x == seen.y && seen.y == seen.z && seen.x >= 1);
    pthread_join(thread, 0);
    seen = whole;
    assert(seen.x == 2);
    return 0;
}
