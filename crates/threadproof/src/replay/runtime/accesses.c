/* The hooks that a compiler puts in front of every access to memory for ThreadSanitizer. Without its library they are these functions; with it they are
 * called first, by the linker's --wrap. */

#include "schedule.h"

#if THREADPROOF_TSAN
#define HOOK(result, name, parameters) \
    result __real_##name parameters; \
    result __wrap_##name parameters
#define ACT(name, arguments, otherwise) return __real_##name arguments
#else
#define HOOK(result, name, parameters) result name parameters
#define ACT(name, arguments, otherwise) otherwise
#endif

void threadproof_function(const void *pc);

#define ACCESS(name, kind, size) \
    HOOK(void, __tsan_##name, (void *address)) { event(kind, HERE, address, size); ACT(__tsan_##name, (address), return); }
#define ACCESSES(size) \
    ACCESS(read##size, READ, size) ACCESS(write##size, WRITE, size)
#define UNALIGNED(size) \
    ACCESS(unaligned_read##size, READ, size) ACCESS(unaligned_write##size, WRITE, size)
ACCESSES(1) ACCESSES(2) ACCESSES(4) ACCESSES(8) ACCESSES(16)
UNALIGNED(2) UNALIGNED(4) UNALIGNED(8) UNALIGNED(16)

#define VOLATILE(size) \
    ACCESS(volatile_read##size, READ, size) ACCESS(volatile_write##size, WRITE, size)
VOLATILE(1) VOLATILE(2) VOLATILE(4) VOLATILE(8) VOLATILE(16)

#define RANGE(name, kind) \
    HOOK(void, __tsan_##name, (void *address, unsigned long size)) { event(kind, HERE, address, (int)size); ACT(__tsan_##name, (address, size), return); }
RANGE(read_range, READ) RANGE(write_range, WRITE)

HOOK(void, __tsan_func_entry, (void *pc)) { threadproof_function(HERE); ACT(__tsan_func_entry, (pc), return); }
HOOK(void, __tsan_func_exit, (void)) { event(NOTHING, HERE, 0, 0); ACT(__tsan_func_exit, (), return); }
#if !THREADPROOF_TSAN
void __tsan_init(void) {}
void __tsan_vptr_update(void **at, void *value) {}
void __tsan_vptr_read(void **at) {}
#endif

#define FETCH(bits, type, name, builtin) \
    HOOK(type, __tsan_atomic##bits##_##name, (volatile type *a, type value, int order)) { \
        event(ATOMIC, HERE, (void *)a, bits / 8); \
        ACT(__tsan_atomic##bits##_##name, (a, value, order), return builtin(a, value, __ATOMIC_SEQ_CST)); }
#define EXCHANGE(bits, type, name) \
    HOOK(int, __tsan_atomic##bits##_##name, (volatile type *a, type *expected, type value, int order, int failure)) { \
        event(ATOMIC, HERE, (void *)a, bits / 8); \
        ACT(__tsan_atomic##bits##_##name, (a, expected, value, order, failure), \
            return __atomic_compare_exchange_n(a, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); }
#define ATOMICS(bits, type) \
    HOOK(type, __tsan_atomic##bits##_load, (const volatile type *a, int order)) { \
        event(ATOMIC, HERE, (const void *)a, bits / 8); \
        ACT(__tsan_atomic##bits##_load, (a, order), return __atomic_load_n(a, __ATOMIC_SEQ_CST)); } \
    HOOK(void, __tsan_atomic##bits##_store, (volatile type *a, type value, int order)) { \
        event(ATOMIC, HERE, (void *)a, bits / 8); \
        ACT(__tsan_atomic##bits##_store, (a, value, order), __atomic_store_n(a, value, __ATOMIC_SEQ_CST)); } \
    FETCH(bits, type, exchange, __atomic_exchange_n) \
    FETCH(bits, type, fetch_add, __atomic_fetch_add) FETCH(bits, type, fetch_sub, __atomic_fetch_sub) \
    FETCH(bits, type, fetch_and, __atomic_fetch_and) FETCH(bits, type, fetch_or, __atomic_fetch_or) \
    FETCH(bits, type, fetch_xor, __atomic_fetch_xor) FETCH(bits, type, fetch_nand, __atomic_fetch_nand) \
    EXCHANGE(bits, type, compare_exchange_strong) EXCHANGE(bits, type, compare_exchange_weak) \
    HOOK(type, __tsan_atomic##bits##_compare_exchange_val, (volatile type *a, type expected, type value, int order, int failure)) { \
        event(ATOMIC, HERE, (void *)a, bits / 8); \
        ACT(__tsan_atomic##bits##_compare_exchange_val, (a, expected, value, order, failure), \
            __atomic_compare_exchange_n(a, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return expected); }

ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned int)
ATOMICS(64, unsigned long)

HOOK(void, __tsan_atomic_thread_fence, (int order)) { ACT(__tsan_atomic_thread_fence, (order), __atomic_thread_fence(__ATOMIC_SEQ_CST)); }
HOOK(void, __tsan_atomic_signal_fence, (int order)) { ACT(__tsan_atomic_signal_fence, (order), return); }
