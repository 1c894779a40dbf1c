// C11 knows few results: busy and timed out where one asked for that, else success or error.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <threads.h>
#include <time.h>

mtx_t plain, recursive;

int other(void *arg)
{
    struct timespec now = {0, 0};
    assert(mtx_trylock(&plain) == thrd_busy);
    assert(mtx_timedlock(&recursive, &now) == thrd_timedout);
    thrd_exit(-5);
}

int main(void)
{
    thrd_t a;
    int result;
    assert(mtx_init(&plain, mtx_plain) == thrd_success);
    assert(mtx_init(&recursive, mtx_recursive | mtx_timed) == thrd_success);
    assert(mtx_lock(&plain) == thrd_success);
    assert(mtx_lock(&recursive) == thrd_success);
    assert(mtx_trylock(&recursive) == thrd_success);
    assert(thrd_create(&a, other, 0) == thrd_success);
    assert(thrd_join(a, &result) == thrd_success && result == -5);
    assert(mtx_unlock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_success);
    assert(mtx_unlock(&recursive) == thrd_error);
    assert(mtx_unlock(&plain) == thrd_success);
    assert(thrd_equal(thrd_current(), thrd_current()));
    return 0;
}
