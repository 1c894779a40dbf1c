/* The generator of 48 bits that POSIX defines, exactly: X' = aX + c. Until the program seeds it, numbers are any. */

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);

typedef unsigned long long word_t;
static word_t state, factor = 0x5deece66dULL, summand = 0xb;
static int seeded;

static word_t joined(const unsigned short *parts) { return parts[0] | (word_t)parts[1] << 16 | (word_t)parts[2] << 32; }
static void split(unsigned short *parts, word_t x) {
    for (int i = 0; i < 3; i++) parts[i] = (unsigned short)(x >> 16 * i);
}
static void seed(word_t x, word_t a, word_t c) {
    __VERIFIER_atomic_begin();
    state = x;
    factor = a;
    summand = c;
    seeded = 1;
    __VERIFIER_atomic_end();
}
void srand48(long value) { seed((word_t)(unsigned)value << 16 | 0x330e, 0x5deece66dULL, 0xb); }
unsigned short *seed48(unsigned short *parts) {
    static unsigned short old[3];
    split(old, state);
    seed(joined(parts), 0x5deece66dULL, 0xb);
    return old;
}
void lcong48(unsigned short *parts) { seed(joined(parts), joined(parts + 3), parts[6]); }

static word_t next(word_t x) { return (x * factor + summand) & ((1ULL << 48) - 1); }
/* The next number of the program's own state. */
static word_t advance(unsigned short *parts) {
    __VERIFIER_atomic_begin();
    word_t x = next(joined(parts));
    __VERIFIER_atomic_end();
    split(parts, x);
    return x;
}
static word_t advance_state(void) {
    __VERIFIER_atomic_begin();
    word_t x = state = next(state);
    __VERIFIER_atomic_end();
    return x;
}
static double as_fraction(word_t x) { return (double)x / 281474976710656.0; }
static long as_signed(word_t x) { return (int)(unsigned)(x >> 16); }

long lrand48(void) {
    if (seeded) return (long)(advance_state() >> 17);
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    return x;
}
long mrand48(void) { return seeded ? as_signed(advance_state()) : __VERIFIER_nondet_int(); }
double drand48(void) {
    if (seeded) return as_fraction(advance_state());
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= 0 && x < 1);
    return x;
}
double erand48(unsigned short *parts) { return as_fraction(advance(parts)); }
long nrand48(unsigned short *parts) { return (long)(advance(parts) >> 17); }
long jrand48(unsigned short *parts) { return as_signed(advance(parts)); }
