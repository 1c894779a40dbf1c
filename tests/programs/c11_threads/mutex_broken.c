// C11 threads that count without the lock when mtx_trylock fails.
// Broken: A holds the lock and has read count==0; B's trylock fails, it writes 1; A writes 1.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <threads.h>

mtx_t mutex;
int count;

int add(void *arg)
{
    int taken = mtx_trylock(&mutex) == thrd_success;
    count++;
    if (taken)
        mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t a, b;
    mtx_init(&mutex, mtx_plain);
    thrd_create(&a, add, NULL);
    thrd_create(&b, add, NULL);
    thrd_join(a, NULL);
    thrd_join(b, NULL);
    assert(count == 2);
    return 0;
}
