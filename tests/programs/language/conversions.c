// Conversions between integer types: truncation, sign extension, zero extension, and to _Bool.
// expect: unreach-call true
// expect: termination true
#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

int main(void)
{
    int big = 0x12345678, negative = -2;
    assert((char)big == 0x78);
    assert((short)big == 0x5678);
    assert((signed char)0x80 == -128);
    assert((long)negative == -2L);
    assert((unsigned long)negative == ULONG_MAX - 1);
    assert((unsigned long)(unsigned)negative == 0xfffffffeul);
    assert((uint8_t)300 == 44);
    assert((int)3000000000u == -1294967296);
    bool yes = 256;
    _Bool also = -5, no = 0;
    assert(yes == 1 && also == 1 && no == 0);
    assert(sizeof(bool) == 1);
    yes += 5;
    assert(yes == 1);
    long long wide = 1LL << 40;
    assert((int)wide == 0 && (bool)wide);
    assert((int64_t)(int32_t)0xffffffff == -1);
    assert((uintptr_t)(void *)0 == 0);
    return 0;
}
