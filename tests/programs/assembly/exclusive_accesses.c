// The loops of exclusive accesses that ARM, AArch64, Power and RISC-V make atomic operations of: addition, exchange, comparison.
// expect: unreach-call true
// explore: unknown
#include <assert.h>

int word = 5;

static int arm_add(int *p, int by) {
    int result, status;
    __asm__ __volatile__("@ atomic_add_return\n"
                         "1:	ldrex	%0, [%3]\n"
                         "	add	%0, %0, %4\n"
                         "	strex	%1, %0, [%3]\n"
                         "	teq	%1, #0\n"
                         "	bne	1b"
                         : "=&r"(result), "=&r"(status), "+Qo"(*p)
                         : "r"(p), "Ir"(by)
                         : "cc");
    return result;
}

static int arm_compare(int *p, int old, int new) {
    int seen, status;
    do {
        __asm__ __volatile__("ldrex	%1, [%3]\n"
                             "mov	%0, #0\n"
                             "teq	%1, %4\n"
                             "strexeq %0, %5, [%3]\n"
                             : "=&r"(status), "=&r"(seen), "+Qo"(*p)
                             : "r"(p), "Ir"(old), "r"(new)
                             : "cc");
    } while (status);
    return seen;
}

static int arm64_sub(int *p, int by) {
    int result;
    unsigned status;
    __asm__ __volatile__("	prfm	pstl1strm, %2\n"
                         "1:	ldxr	%w0, %2\n"
                         "	sub	%w0, %w0, %w3\n"
                         "	stlxr	%w1, %w0, %2\n"
                         "	cbnz	%w1, 1b\n"
                         "	dmb ish"
                         : "=&r"(result), "=&r"(status), "+Q"(*p)
                         : "Ir"(by)
                         : "memory");
    return result;
}

static long arm64_exchange(long *p, long value) {
    long old;
    unsigned status;
    __asm__ __volatile__("1: ldaxr %[old], [%[at]]; stlxr %w[status], %[value], [%[at]]; cbnz %w[status], 1b"
                         : [old] "=&r"(old), [status] "=&r"(status)
                         : [value] "r"(value), [at] "r"(p)
                         : "memory");
    return old;
}

static int arm64_compare(int *p, int old, int new) {
    int seen;
    unsigned status;
    __asm__ __volatile__("1:	ldxr	%w[seen], %[at]\n"
                         "	eor	%w[status], %w[seen], %w[old]\n"
                         "	cbnz	%w[status], 2f\n"
                         "	stlxr	%w[status], %w[new], %[at]\n"
                         "	cbnz	%w[status], 1b\n"
                         "	dmb ish\n"
                         "2:"
                         : [status] "=&r"(status), [seen] "=&r"(seen), [at] "+Q"(*p)
                         : [old] "Lr"(old), [new] "r"(new)
                         : "memory");
    return seen;
}

static int power_add(int *p, int by) {
    int result;
    __asm__ __volatile__("lwsync\n"
                         "1:	lwarx	%0,0,%3\n"
                         "	add	%0,%2,%0\n"
                         "	stwcx.	%0,0,%3\n"
                         "	bne-	1b\n"
                         "	sync"
                         : "=&r"(result), "+m"(*p)
                         : "r"(by), "r"(p)
                         : "cc", "memory");
    return result;
}

static int power_compare(int *p, int old, int new) {
    int seen;
    __asm__ __volatile__("1:	lwarx	%0,0,%2\n"
                         "	cmpw	0,%0,%3\n"
                         "	bne-	2f\n"
                         "	stwcx.	%4,0,%2\n"
                         "	bne-	1b\n"
                         "	isync\n"
                         "2:"
                         : "=&r"(seen), "+m"(*p)
                         : "r"(p), "r"(old), "r"(new)
                         : "cc", "memory");
    return seen;
}

static int riscv_compare(int *p, int old, int new) {
    int seen, status;
    __asm__ __volatile__("0:	lr.w %0, %2\n"
                         "	bne  %0, %z3, 1f\n"
                         "	sc.w.rl %1, %z4, %2\n"
                         "	bnez %1, 0b\n"
                         "	fence rw, rw\n"
                         "1:"
                         : "=&r"(seen), "=&r"(status), "+A"(*p)
                         : "rJ"(old), "rJ"(new)
                         : "memory");
    return seen;
}

static int riscv_or(int *p, int bits) {
    int old, new, status;
    __asm__ __volatile__("1: lr.w.aq %0, (%3)\n or %1, %0, %4\n sc.w.rl %2, %1, (%3)\n bnez %2, 1b"
                         : "=&r"(old), "=&r"(new), "=&r"(status)
                         : "r"(p), "r"(bits)
                         : "memory");
    return old;
}

int main(void) {
    long wide = 1L << 40;
    assert(arm_add(&word, 2) == 7 && word == 7);
    assert(arm_compare(&word, 7, 8) == 7 && word == 8 && arm_compare(&word, 7, 0) == 8 && arm_add(&word, -1) == 7);
    assert(arm64_sub(&word, 3) == 4 && word == 4);
    assert(arm64_exchange(&wide, 3) == 1L << 40 && wide == 3);
    assert(arm64_compare(&word, 1, 9) == 4 && word == 4);
    assert(arm64_compare(&word, 4, 9) == 4 && word == 9);
    assert(power_add(&word, -1) == 8 && word == 8);
    assert(power_compare(&word, 8, 6) == 8 && word == 6 && power_compare(&word, 8, 7) == 6 && word == 6);
    assert(riscv_compare(&word, 6, 1) == 6 && word == 1 && riscv_compare(&word, 6, 2) == 1 && word == 1);
    assert(riscv_or(&word, 6) == 1 && word == 7);
    return 0;
}
