// C11 threads: thrd_create, thrd_join with its integer result, and a mtx_t around a counter.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <threads.h>

mtx_t mutex;
int count;

int add(void *arg)
{
    assert(mtx_lock(&mutex) == thrd_success);
    count++;
    assert(mtx_unlock(&mutex) == thrd_success);
    return *(int *)arg + 1;
}

int main(void)
{
    thrd_t a, b;
    int five = 5, result = 0;
    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(thrd_create(&a, add, &five) == thrd_success);
    assert(thrd_create(&b, add, &five) == thrd_success);
    assert(thrd_join(a, &result) == thrd_success);
    assert(result == 6);
    assert(thrd_join(b, NULL) == thrd_success);
    assert(count == 2);
    mtx_destroy(&mutex);
    return 0;
}
