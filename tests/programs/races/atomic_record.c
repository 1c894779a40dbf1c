/* Loads and stores of a whole _Atomic record are atomic: nobody sees half of it, and nobody races. */
// expect: no-data-race true
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

struct pair {
    int first, second;
};

_Atomic struct pair shared;

void *store(void *arg)
{
    struct pair both = {1, 1};
    (void)arg;
    shared = both;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, store, 0);
    struct pair seen = shared;
    assert(seen.first == seen.second);
    pthread_join(t, 0);
    return 0;
}
