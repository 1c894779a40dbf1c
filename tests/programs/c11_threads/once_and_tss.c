// C11 call_once, thread-specific storage with a destructor, thrd_exit, thrd_equal and a recursive mutex.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <threads.h>

once_flag once = ONCE_FLAG_INIT;
tss_t key;
mtx_t mutex;
int runs, a_value = 1, b_value = 2;

void initialise(void)
{
    runs++;
}

void finish(void *value)
{
    *(int *)value += 10;
}

int work(void *arg)
{
    call_once(&once, initialise);
    assert(runs == 1);
    assert(tss_get(key) == NULL);
    assert(tss_set(key, arg) == thrd_success);
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    thrd_exit(*(int *)tss_get(key));
}

int main(void)
{
    thrd_t a, b;
    int result = 0;
    assert(tss_create(&key, finish) == thrd_success);
    assert(mtx_init(&mutex, mtx_plain | mtx_recursive) == thrd_success);
    thrd_create(&a, work, &a_value);
    thrd_create(&b, work, &b_value);
    assert(!thrd_equal(a, b));
    thrd_join(a, &result);
    assert(result == 1 && a_value == 11);
    thrd_join(b, &result);
    assert(result == 2 && b_value == 12);
    return 0;
}
