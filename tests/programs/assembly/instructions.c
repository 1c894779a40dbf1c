// What the instructions of x86 that locks are made of compute, with operands in all the ways that constraints allow.
// native: yes
// expect: unreach-call true
// explore: unknown
#include <assert.h>

static unsigned long word;

static int xchg(volatile int *p, int v) {
    __asm__ __volatile__("xchgl %0, %1" : "=r"(v), "+m"(*p) : "0"(v) : "memory");
    return v;
}

static int cas(volatile int *p, int expected, int desired) {
    int old;
    __asm__ __volatile__("lock; cmpxchgl %2, %1" : "=a"(old), "+m"(*p) : "r"(desired), "0"(expected) : "memory", "cc");
    return old;
}

static int cas_bool(volatile long *p, long expected, long desired) {
    char done;
    __asm__ __volatile__("lock cmpxchgq %[new], %[mem]\n\tsete %[done]"
                         : [mem] "+m"(*p), [done] "=q"(done), "+a"(expected)
                         : [new] "r"(desired)
                         : "memory");
    return done;
}

static short fetch_add(short *p, short v) {
    __asm__ __volatile__("lock xaddw %0, %1" : "+r"(v), "+m"(*p) : : "memory");
    return v;
}

static int decrement_and_test(int *p) {
    unsigned char zero;
    __asm__ __volatile__("lock; decl %0; setz %1" : "=m"(*p), "=qm"(zero) : "m"(*p) : "memory");
    return zero != 0;
}

static int test_and_set_bit(long n, unsigned long *p) {
    int old;
    __asm__ __volatile__("lock; btsq %2,%1\n\tsbbl %0,%0" : "=r"(old), "+m"(*p) : "r"(n) : "memory");
    return old;
}

static _Bool test_and_clear_bit(unsigned long *p) {
    _Bool old;
    __asm__ __volatile__("lock; btrq $3, %0" : "+m"(*p), "=@ccc"(old) : : "memory");
    return old;
}

static int indirect(int *p) {
    int v;
    __asm__("movl (%1), %0\n\taddl $2, %0" : "=&r"(v) : "r"(p));
    return v;
}

static void inc(int *p) { __asm__ __volatile__("incl %0" : "+m"(*p)); }

int main(void) {
    int x = 5, y;
    assert(xchg(&x, 7) == 5 && x == 7);
    assert(cas(&x, 6, 9) == 7 && x == 7);
    assert(cas(&x, 7, 9) == 7 && x == 9);
    long l = 1L << 40;
    assert(!cas_bool(&l, 0, 3) && l == 1L << 40);
    assert(cas_bool(&l, 1L << 40, 3) && l == 3);
    short s = 0x7fff;
    assert(fetch_add(&s, 1) == 0x7fff && s == -0x8000);
    x = 2;
    assert(!decrement_and_test(&x) && x == 1);
    assert(decrement_and_test(&x) && x == 0);
    assert(test_and_set_bit(3, &word) == 0 && word == 8);
    assert(test_and_set_bit(3, &word) == -1 && word == 8);
    assert(test_and_clear_bit(&word) == 1 && word == 0);
    assert(test_and_clear_bit(&word) == 0);
    x = 40;
    assert(indirect(&x) == 42);
    inc(&x);
    assert(x == 41);
    __asm__("" : "=r"(y) : "0"(x));
    assert(y == 41);
    __asm__ volatile("" : "+r"(y) : : "memory");
    assert(y == 41);
    __asm__("1: decl %0\n\tjnz 1b" : "+r"(y));
    assert(y == 0);
    unsigned lo, hi;
    __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
    __asm__ volatile("pause");
    __asm__ volatile("rep; nop" ::: "memory");
    __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
    __asm__ volatile("mfence" ::: "memory");
    (void)lo;
    (void)hi;
    return 0;
}
