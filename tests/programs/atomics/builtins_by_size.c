// Atomic builtins in all their forms: with a size in the name, with side effects in every argument, on all scalar types.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdatomic.h>

static int n_calls;
static int order(int value)
{
    n_calls++;
    return value;
}

static void sized(void)
{
    unsigned char one = 250;
    unsigned short two = 65530;
    unsigned four = 10;
    unsigned long eight = 10;
    assert(__sync_fetch_and_add_1(&one, 10) == 250 && one == 4);
    assert(__sync_add_and_fetch_2(&two, 10) == 4 && two == 4);
    assert(__sync_fetch_and_sub_4(&four, 11) == 10 && four == 0xffffffff);
    assert(__sync_fetch_and_nand_8(&eight, 3) == 10 && eight == ~2UL);
    assert(__sync_bool_compare_and_swap_4(&four, 0xffffffff, 5) && four == 5);
    assert(__sync_val_compare_and_swap_4(&four, 6, 7) == 5 && four == 5);
    assert(__sync_lock_test_and_set_4(&four, 8) == 5 && four == 8);
    __sync_lock_release_4(&four);
    assert(four == 0);
    __atomic_store_4(&four, 77, __ATOMIC_RELAXED);
    assert(__atomic_load_4(&four, __ATOMIC_RELAXED) == 77);
    assert(__atomic_exchange_4(&four, 78, __ATOMIC_SEQ_CST) == 77);
    assert(__atomic_fetch_add_4(&four, 2, __ATOMIC_SEQ_CST) == 78);
    assert(__atomic_add_fetch_4(&four, 2, __ATOMIC_SEQ_CST) == 82);
    unsigned expected = 81;
    assert(!__atomic_compare_exchange_4(&four, &expected, 83, 0, 5, 5) && expected == 82 && four == 82);
    assert(__atomic_compare_exchange_4(&four, &expected, 83, 0, 5, 5) && four == 83);
}

static void effects_in_arguments(void)
{
    int x = 1, expected = 1;
    _Atomic int a = 0;
    __atomic_store_n(&x, 2, order(__ATOMIC_SEQ_CST));
    assert(n_calls == 1);
    assert(__atomic_load_n(&x, order(__ATOMIC_SEQ_CST)) == 2 && n_calls == 2);
    assert(__atomic_fetch_add(&x, 1, order(__ATOMIC_SEQ_CST)) == 2 && n_calls == 3);
    assert(__atomic_exchange_n(&x, 1, order(5)) == 3 && n_calls == 4);
    assert(__atomic_compare_exchange_n(&x, &expected, 9, 0, order(5), order(5)) && n_calls == 6);
    __atomic_thread_fence(order(5));
    assert(n_calls == 7);
    atomic_store_explicit(&a, 4, order(memory_order_release));
    assert(atomic_load_explicit(&a, order(memory_order_acquire)) == 4 && n_calls == 9);
    assert(atomic_fetch_or_explicit(&a, 3, order(5)) == 4 && a == 7 && n_calls == 10);
}

static void types(void)
{
    atomic_int_fast16_t fast = ATOMIC_VAR_INIT(7);
    atomic_uint_least8_t least;
    atomic_init(&least, 255);
    assert(atomic_fetch_add(&least, 1) == 255 && least == 0);
    assert(atomic_fetch_xor(&fast, 2) == 7 && fast == 5);
    atomic_uintptr_t word = 3;
    assert(kill_dependency(word) == 3);
    _Atomic _Bool flag = 0;
    flag += 7;
    assert(flag == 1 && atomic_exchange(&flag, 0) == 1 && !flag);
    _Atomic double real = 1.5;
    real *= 3;
    assert(real == 4.5 && atomic_exchange(&real, 0.25) == 4.5);
    double wanted = 0.5;
    assert(!atomic_compare_exchange_strong(&real, &wanted, 9.0) && wanted == 0.25);
    signed char small = -1;
    assert(__atomic_fetch_add(&small, -128, 5) == -1 && small == 127);
    assert(__atomic_sub_fetch(&small, -1, 5) == -128);
    int values[2] = {1, 2};
    int *_Atomic cursor = values;
    assert(*cursor++ == 1 && *cursor == 2);
    __int128 wide = 1;
    wide <<= 100;
    atomic_flag set = ATOMIC_FLAG_INIT;
    assert(!atomic_flag_test_and_set(&set) && atomic_flag_test_and_set(&set));
    atomic_flag_clear(&set);
    assert(!atomic_flag_test_and_set_explicit(&set, memory_order_acquire));
    char byte = 0;
    assert(!__atomic_test_and_set(&byte, 5) && __atomic_test_and_set(&byte, 5) && byte == 1);
    __atomic_clear(&byte, 5);
    assert(byte == 0 && atomic_is_lock_free(&fast));
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    __sync_synchronize();
}

int main(void)
{
    sized();
    effects_in_arguments();
    types();
    return 0;
}
