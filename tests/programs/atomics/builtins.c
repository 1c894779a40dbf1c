// GCC's __sync and __atomic builtins in a single thread: fetch_and_op returns the old, op_and_fetch the new value.
// expect: unreach-call true
// expect: no-data-race true
// expect: termination true
#include <assert.h>

int main(void)
{
    int x = 10, expected = 3, result = 0, desired = 21;
    assert(__sync_fetch_and_add(&x, 5) == 10 && x == 15);
    assert(__sync_add_and_fetch(&x, 5) == 20 && x == 20);
    assert(__sync_sub_and_fetch(&x, 4) == 16);
    assert(__sync_fetch_and_or(&x, 3) == 16 && x == 19);
    assert(__sync_val_compare_and_swap(&x, 19, 7) == 19 && x == 7);
    assert(__sync_bool_compare_and_swap(&x, 19, 8) == 0 && x == 7);
    __sync_synchronize();
    assert(__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST) == 7);
    assert(__atomic_add_fetch(&x, 1, __ATOMIC_RELAXED) == 9);
    assert(__atomic_fetch_nand(&x, 1, __ATOMIC_SEQ_CST) == 9 && x == ~1);
    __atomic_store_n(&x, 20, __ATOMIC_RELEASE);
    assert(__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 20);
    assert(!__atomic_compare_exchange_n(&x, &expected, 30, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    assert(expected == 20 && x == 20);
    __atomic_exchange(&x, &desired, &result, __ATOMIC_SEQ_CST);
    assert(result == 20 && x == 21);
    __atomic_load(&x, &result, __ATOMIC_SEQ_CST);
    assert(result == 21);
    assert(!__atomic_test_and_set(&((char[1]){0})[0], __ATOMIC_SEQ_CST));
    return 0;
}
