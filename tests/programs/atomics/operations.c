// The C11 atomic operations one after another in a single thread: each returns the OLD value.
// expect: unreach-call true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

int main(void)
{
    atomic_int x = ATOMIC_VAR_INIT(12);
    atomic_uint u;
    atomic_bool flag = false;
    atomic_init(&u, 0u);
    assert(atomic_fetch_sub(&x, 2) == 12 && x == 10);
    assert(atomic_fetch_or(&x, 5) == 10 && x == 15);
    assert(atomic_fetch_and(&x, 6) == 15 && x == 6);
    assert(atomic_fetch_xor(&x, 3) == 6 && x == 5);
    assert(atomic_exchange(&x, 9) == 5 && x == 9);
    int expected = 8;
    assert(!atomic_compare_exchange_strong(&x, &expected, 1));
    assert(expected == 9 && x == 9);
    assert(atomic_compare_exchange_strong(&x, &expected, 1));
    assert(expected == 9 && x == 1);
    assert(atomic_fetch_sub_explicit(&u, 1u, memory_order_relaxed) == 0u);
    assert(atomic_load_explicit(&u, memory_order_acquire) == ~0u);
    assert(!atomic_exchange(&flag, true) && flag);
    return 0;
}
