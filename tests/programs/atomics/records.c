// Atomic operations on structures of any size: load, store, exchange and compare-and-exchange, by C11's names, by operators and by GCC's builtins.
// A compare-and-exchange that fails leaves the object alone and tells what it holds.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#define TEST(NAME, N)                                                                    \
    struct NAME { unsigned char b[N]; };                                                 \
    static _Atomic struct NAME NAME##_atomic;                                            \
    static struct NAME NAME##_plain;                                                     \
    static struct NAME NAME##_make(int seed)                                             \
    {                                                                                    \
        struct NAME made;                                                                \
        for (int i = 0; i < N; i++)                                                      \
            made.b[i] = seed + i;                                                        \
        return made;                                                                     \
    }                                                                                    \
    static int NAME##_is(struct NAME value, int seed)                                    \
    {                                                                                    \
        struct NAME made = NAME##_make(seed);                                            \
        return memcmp(&value, &made, N) == 0;                                            \
    }                                                                                    \
    static void NAME##_test(void)                                                        \
    {                                                                                    \
        assert(sizeof(struct NAME) == N);                                                \
        struct NAME one = NAME##_make(1), two = NAME##_make(2), got;                     \
        atomic_store(&NAME##_atomic, one);                                               \
        assert(NAME##_is(atomic_load(&NAME##_atomic), 1));                               \
        assert(NAME##_is(atomic_exchange(&NAME##_atomic, two), 1));                      \
        got = NAME##_atomic;                                                             \
        assert(NAME##_is(got, 2));                                                       \
        got = (NAME##_atomic = one);                                                     \
        assert(NAME##_is(got, 1) && NAME##_is(NAME##_atomic, 1));                        \
        got = two;                                                                       \
        assert(!atomic_compare_exchange_strong(&NAME##_atomic, &got, two));              \
        assert(NAME##_is(got, 1) && NAME##_is(atomic_load(&NAME##_atomic), 1));          \
        assert(atomic_compare_exchange_strong(&NAME##_atomic, &got, two));               \
        assert(NAME##_is(got, 1) && NAME##_is(atomic_load(&NAME##_atomic), 2));          \
        __atomic_store(&NAME##_plain, &one, __ATOMIC_RELEASE);                           \
        __atomic_load(&NAME##_plain, &got, __ATOMIC_ACQUIRE);                            \
        assert(NAME##_is(got, 1));                                                       \
        __atomic_exchange(&NAME##_plain, &two, &got, __ATOMIC_SEQ_CST);                  \
        assert(NAME##_is(got, 1) && NAME##_is(NAME##_plain, 2));                         \
        assert(!__atomic_compare_exchange(&NAME##_plain, &got, &one, 0, 5, 5));          \
        assert(NAME##_is(got, 2) && NAME##_is(NAME##_plain, 2));                         \
        assert(__atomic_compare_exchange(&NAME##_plain, &got, &one, 0, 5, 5));           \
        assert(NAME##_is(got, 2) && NAME##_is(NAME##_plain, 1));                         \
    }

TEST(s1, 1)
TEST(s3, 3)
TEST(s4, 4)
TEST(s8, 8)
TEST(s12, 12)
TEST(s16, 16)
TEST(s17, 17)
TEST(s32, 32)

struct pair { int x, y; };
static _Atomic struct pair pairs[2];
static union number { int i; float f; } _Atomic number;

int main(void)
{
    s1_test(), s3_test(), s4_test(), s8_test(), s12_test(), s16_test(), s17_test(), s32_test();
    _Atomic struct pair local = {3, 4};
    struct pair seen = local;
    assert(seen.x == 3 && seen.y == 4);
    pairs[1] = (struct pair){5, 6};
    seen = atomic_exchange(&pairs[1], seen);
    assert(seen.x == 5 && seen.y == 6);
    assert(atomic_load(&pairs[1]).y == 4 && atomic_load(pairs).x == 0);
    number = (union number){ .f = 1.0f };
    union number bits = number;
    assert(bits.i == 0x3f800000);
    while (!atomic_compare_exchange_weak(&local, &seen, ((struct pair){7, 8})))
        assert(seen.x == 3);
    assert(atomic_load(&local).x == 7);
    return 0;
}
