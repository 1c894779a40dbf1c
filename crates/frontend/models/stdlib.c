/* stdlib.h and inttypes.h: conversions, sorting, arithmetic, pseudo-random numbers, the environment. */

typedef __typeof__(sizeof(0)) size_t;

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern double __VERIFIER_nondet_double(void);
extern double __threadproof_some_double(void);
extern float __threadproof_some_float(void);
extern _Bool __threadproof_some_bool(void);
extern int __threadproof_some_int(void);
extern int __threadproof_seeds(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int *__errno_location(void);
extern void *malloc(size_t);
extern void *realloc(void *, size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t);
extern int memcmp(const void *, const void *, size_t);
extern size_t strlen(const char *);
extern char *strchr(const char *, int);

enum { ENOMEM_ = 12, EINVAL_ = 22, ERANGE_ = 34 };

/* ---- integers from text -------------------------------------------------------------------------------------- */

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The value of a digit; 36 or more for anything else. */
static unsigned digit_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'z') return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
    return 99;
}

/* Reads a number for strtol and its kin: no greater than `most` if positive, `most_negative` if negative. `binary` allows C23's
 * prefix 0b. An unsigned type has `most_negative` 0 and negates modulo its width. */
static unsigned long long to_integer(const char *s, char **end, int base, int binary, unsigned long long most,
                                     unsigned long long most_negative) {
    const char *at = s, *first;
    unsigned long long value = 0;
    int negative = 0, overflow = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = EINVAL_;
        return 0;
    }
    while (is_space(*at)) at++;
    if (*at == '-' || *at == '+') negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && digit_value(at[2]) < 16) {
        base = 16;
        at += 2;
    } else if (binary && (base == 0 || base == 2) && at[0] == '0' && (at[1] == 'b' || at[1] == 'B') && digit_value(at[2]) < 2) {
        base = 2;
        at += 2;
    } else if (base == 0) {
        base = at[0] == '0' ? 8 : 10;
    }
    first = at;
    for (; digit_value(*at) < (unsigned)base; at++) {
        unsigned digit = digit_value(*at);
        if (value > (~0ULL - digit) / base) overflow = 1;
        else value = value * base + digit;
    }
    if (end) *end = (char *)(at == first ? s : at);
    unsigned long long limit = negative && most_negative ? most_negative : most;
    if (overflow || value > limit) {
        *__errno_location() = ERANGE_;
        return negative && most_negative ? 0 - most_negative : most;
    }
    return negative ? 0 - value : value;
}

static const unsigned long max_long = ~0UL >> 1;
static const unsigned long long max_llong = ~0ULL >> 1;

long strtol(const char *s, char **end, int base) { return (long)to_integer(s, end, base, 0, max_long, max_long + 1); }
unsigned long strtoul(const char *s, char **end, int base) { return (unsigned long)to_integer(s, end, base, 0, ~0UL, 0); }
long long strtoll(const char *s, char **end, int base) { return (long long)to_integer(s, end, base, 0, max_llong, max_llong + 1); }
unsigned long long strtoull(const char *s, char **end, int base) { return to_integer(s, end, base, 0, ~0ULL, 0); }
long long strtoq(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtouq(const char *s, char **end, int base) { return strtoull(s, end, base); }
long long strtoimax(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtoumax(const char *s, char **end, int base) { return strtoull(s, end, base); }
long __isoc23_strtol(const char *s, char **end, int base) { return (long)to_integer(s, end, base, 1, max_long, max_long + 1); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return (unsigned long)to_integer(s, end, base, 1, ~0UL, 0); }
long long __isoc23_strtoll(const char *s, char **end, int base) {
    return (long long)to_integer(s, end, base, 1, max_llong, max_llong + 1);
}
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return to_integer(s, end, base, 1, ~0ULL, 0); }
long long __isoc23_strtoimax(const char *s, char **end, int base) { return __isoc23_strtoll(s, end, base); }
unsigned long long __isoc23_strtoumax(const char *s, char **end, int base) { return __isoc23_strtoull(s, end, base); }
long __strtol_internal(const char *s, char **end, int base, int group) { return strtol(s, end, base); }
unsigned long __strtoul_internal(const char *s, char **end, int base, int group) { return strtoul(s, end, base); }
long long __strtoll_internal(const char *s, char **end, int base, int group) { return strtoll(s, end, base); }
unsigned long long __strtoull_internal(const char *s, char **end, int base, int group) { return strtoull(s, end, base); }
int atoi(const char *s) { return (int)strtol(s, 0, 10); }
long atol(const char *s) { return strtol(s, 0, 10); }
long long atoll(const char *s) { return strtoll(s, 0, 10); }

/* ---- floating-point numbers from text ------------------------------------------------------------------------ */

/* What is read of a number: digits without the point (the first 19 that count), and by which power of ten or two to scale them. */
struct decimal {
    unsigned long long digits;
    int exponent, inexact, negative;
    enum { NOTHING, DECIMAL, HEXADECIMAL, INFINITE, NOT_A_NUMBER } kind;
};

static int matches(const char *s, const char *word) {
    for (; *word; s++, word++)
        if ((*s | 32) != *word) return 0;
    return 1;
}

/* What a NaN carries: the number that letters and digits up to `stop` say, if they say one. */
unsigned long long __threadproof_nan_payload(const char *text, char stop) {
    const char *at = text;
    char *end;
    while (digit_value(*at) < 36 || *at == '_') at++;
    unsigned long long payload = *at == stop ? strtoull(text, &end, 0) : 0;
    return *at == stop && end == at ? payload : 0;
}
static const char *read_nan(struct decimal *number, const char *at) {
    const char *close = at;
    if (*at != '(') return at;
    for (close++; digit_value(*close) < 36 || *close == '_'; close++) {}
    if (*close != ')') return at;
    number->digits = __threadproof_nan_payload(at + 1, ')');
    return close + 1;
}
static double nan_with(unsigned long long payload) {
    union { unsigned long long bits; double value; } nan = { 0x7ff8ULL << 48 | (payload & (1ULL << 51) - 1) };
    return nan.value;
}
static float nan_withf(unsigned long long payload) {
    union { unsigned bits; float value; } nan = { 0x7fc00000U | (unsigned)(payload & (1U << 22) - 1) };
    return nan.value;
}

/* The exponent behind `letter`, saturated; `at` moves behind it. */
static int read_exponent(const char **at, char letter) {
    const char *s = *at;
    int value = 0, negative = 0;
    if ((*s | 32) != letter) return 0;
    s++;
    if (*s == '-' || *s == '+') negative = *s++ == '-';
    if (!(*s >= '0' && *s <= '9')) return 0;
    for (; *s >= '0' && *s <= '9'; s++)
        if (value < 100000) value = value * 10 + (*s - '0');
    *at = s;
    return negative ? -value : value;
}

static const char *read_digits(struct decimal *number, const char *at, int base) {
    int any = 0, point = 0;
    const char *start = at;
    for (;; at++) {
        if (*at == '.' && !point) { point = 1; continue; }
        unsigned digit = digit_value(*at);
        if (digit >= (unsigned)base) break;
        any = 1;
        if (number->digits > (~0ULL - digit) / base || number->inexact) {
            if (digit) number->inexact |= 1;
            number->inexact |= 2; /* digits are dropped from here on */
            if (!point) number->exponent++;
        } else {
            number->digits = number->digits * base + digit;
            if (point) number->exponent--;
        }
    }
    return any ? at : 0;
}

static const char *read_decimal(struct decimal *number, const char *s) {
    const char *at = s, *end;
    number->digits = 0;
    number->exponent = number->inexact = number->negative = 0;
    number->kind = NOTHING;
    while (is_space(*at)) at++;
    if (*at == '-' || *at == '+') number->negative = *at++ == '-';
    if (matches(at, "inf")) {
        number->kind = INFINITE;
        return matches(at + 3, "inity") ? at + 8 : at + 3;
    }
    if (matches(at, "nan")) {
        number->kind = NOT_A_NUMBER;
        return read_nan(number, at + 3);
    }
    if (at[0] == '0' && (at[1] | 32) == 'x') {
        end = read_digits(number, at + 2, 16);
        number->kind = HEXADECIMAL;
        number->exponent *= 4;
        if (end) {
            number->exponent += read_exponent(&end, 'p');
            return end;
        }
        number->exponent = 0;
        return at + 1; /* just the 0 */
    }
    end = read_digits(number, at, 10);
    if (!end) return s;
    number->kind = DECIMAL;
    number->exponent += read_exponent(&end, 'e');
    return end;
}

static const double powers_of_ten[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

/* Exact where one rounding suffices (Clinger's fast path); otherwise any number, as only arbitrary precision gives the right one. */
double strtod(const char *s, char **end) {
    struct decimal number;
    const char *behind = read_decimal(&number, s);
    double value;
    if (end) *end = (char *)behind;
    int exponent = number.exponent, small = !number.inexact && number.digits <= 1ULL << 53;
    if (number.kind == INFINITE) value = __builtin_inf();
    else if (number.kind == NOT_A_NUMBER) value = nan_with(number.digits);
    else if (number.digits == 0 && !number.inexact) value = 0;
    else if (small && number.kind == DECIMAL && exponent >= 0 && exponent <= 22) value = (double)number.digits * powers_of_ten[exponent];
    else if (small && number.kind == DECIMAL && exponent < 0 && exponent >= -22) value = (double)number.digits / powers_of_ten[-exponent];
    else if (small && number.kind == HEXADECIMAL && exponent > -900 && exponent < 900) {
        value = (double)number.digits;
        for (; exponent >= 32; exponent -= 32) value *= 4294967296.0;
        for (; exponent > 0; exponent--) value *= 2;
        for (; exponent <= -32; exponent += 32) value /= 4294967296.0;
        for (; exponent < 0; exponent++) value /= 2;
    } else if (!number.inexact && number.kind == DECIMAL && (exponent > 308 || exponent < -345)) {
        value = exponent > 0 ? __builtin_inf() : 0;
        *__errno_location() = ERANGE_;
    } else {
        value = __threadproof_some_double();
        __VERIFIER_assume(value >= 0);
        if ((value < 2.2250738585072014e-308 || value > 1.7976931348623157e308) && __threadproof_some_bool()) *__errno_location() = ERANGE_;
    }
    return number.negative ? -value : value;
}
double atof(const char *s) { return strtod(s, 0); }
double __strtod_internal(const char *s, char **end, int group) { return strtod(s, end); }
float strtof(const char *s, char **end) {
    struct decimal number;
    const char *behind = read_decimal(&number, s);
    float value;
    if (end) *end = (char *)behind;
    int exponent = number.exponent, small = !number.inexact && number.digits <= 1ULL << 24;
    if (number.kind == INFINITE) value = __builtin_inff();
    else if (number.kind == NOT_A_NUMBER) value = nan_withf(number.digits);
    else if (number.digits == 0 && !number.inexact) value = 0;
    else if (small && number.kind == DECIMAL && exponent >= 0 && exponent <= 10)
        value = (float)number.digits * (float)powers_of_ten[exponent];
    else if (small && number.kind == DECIMAL && exponent < 0 && exponent >= -10)
        value = (float)number.digits / (float)powers_of_ten[-exponent];
    else {
        value = __threadproof_some_float();
        __VERIFIER_assume(value >= 0);
        if ((value < 1.17549435e-38f || value > 3.40282347e38f) && __threadproof_some_bool()) *__errno_location() = ERANGE_;
    }
    return number.negative ? -value : value;
}
float __strtof_internal(const char *s, char **end, int group) { return strtof(s, end); }

/* ---- arithmetic ---------------------------------------------------------------------------------------------- */

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
long long imaxabs(long long x) { return x < 0 ? -x : x; }

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
div_t div(int x, int y) { div_t r = { x / y, x % y }; return r; }
ldiv_t ldiv(long x, long y) { ldiv_t r = { x / y, x % y }; return r; }
lldiv_t lldiv(long long x, long long y) { lldiv_t r = { x / y, x % y }; return r; }
typedef struct { long long quot, rem; } imaxdiv_t;
imaxdiv_t imaxdiv(long long x, long long y) { imaxdiv_t r = { x / y, x % y }; return r; }

/* ---- pseudo-random numbers: any, but the same from the same seed --------------------------------------------- */

enum { N_KNOWN = 8 };
static unsigned state = 1;
static int n_known;
static struct { unsigned state, next; int value; } known[N_KNOWN]; /* one step of the generator each */

static int any_number(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    return x;
}
/* A step of the generator: steps from the same state are equal, as far as there is room to remember them. */
static int next_number(unsigned *from) {
    int value;
    for (int i = 0; i < n_known; i++) {
        if (known[i].state != *from) continue;
        *from = known[i].next;
        return known[i].value;
    }
    value = n_known < N_KNOWN ? any_number() : __threadproof_some_int() & 0x7fffffff;
    if (n_known < N_KNOWN) {
        known[n_known].state = *from;
        known[n_known].value = value;
        known[n_known].next = __VERIFIER_nondet_uint();
        *from = known[n_known].next;
        n_known++;
    } else {
        *from = (unsigned)__threadproof_some_int();
    }
    return value;
}
void srand(unsigned seed) {
    __VERIFIER_atomic_begin();
    state = seed;
    __VERIFIER_atomic_end();
}
void srandom(unsigned seed) { srand(seed); }
int rand(void) {
    if (!__threadproof_seeds()) return any_number();
    __VERIFIER_atomic_begin();
    int value = next_number(&state);
    __VERIFIER_atomic_end();
    return value;
}
int rand_r(unsigned *seed) {
    unsigned own = *seed;
    __VERIFIER_atomic_begin();
    int value = next_number(&own);
    __VERIFIER_atomic_end();
    *seed = own;
    return value;
}
long random(void) { return rand(); }
unsigned arc4random(void) { return __VERIFIER_nondet_uint(); }
unsigned arc4random_uniform(unsigned bound) {
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(bound == 0 ? x == 0 : x < bound);
    return x;
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

void *reallocarray(void *old, size_t count, size_t size) {
    if (size && count > ~(size_t)0 / size) {
        *__errno_location() = ENOMEM_;
        return 0;
    }
    return realloc(old, count * size);
}

void free_sized(void *memory, size_t size) { free(memory); }
void free_aligned_sized(void *memory, size_t alignment, size_t size) { free(memory); }

/* ---- sorting and searching ----------------------------------------------------------------------------------- */

static void swap(char *left, char *right, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = left[i];
        left[i] = right[i];
        right[i] = c;
    }
}
/* A sort writes every element, moved or not: whoever reads one meanwhile races with it. */
static void rewrite(char *element, size_t size) {
    for (size_t i = 0; i < size; i++) {
        char c = element[i];
        element[i] = c;
    }
}
/* C leaves the order of equal elements open, so a comparison that says 0 may swap or not. */
static int goes_before(int order) { return order < 0 || (order == 0 && __VERIFIER_nondet_bool()); }

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *elements = base;
    if (count > 1) rewrite(elements, size);
    for (size_t i = 1; i < count; i++) {
        char *at = elements + i * size;
        rewrite(at, size);
        for (; at != elements && goes_before(compare(at, at - size)); at -= size) swap(at - size, at, size);
    }
}
void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *), void *context) {
    char *elements = base;
    if (count > 1) rewrite(elements, size);
    for (size_t i = 1; i < count; i++) {
        char *at = elements + i * size;
        rewrite(at, size);
        for (; at != elements && goes_before(compare(at, at - size, context)); at -= size) swap(at - size, at, size);
    }
}
void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *element = (const char *)base + middle * size;
        int order = compare(key, element);
        if (order == 0) return (void *)element;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}
void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
    const char *element = base;
    for (size_t i = 0; i < *count; i++, element += size)
        if (compare(key, element) == 0) return (void *)element;
    return 0;
}
void *lsearch(const void *key, void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
    void *found = lfind(key, base, count, size, compare);
    if (found) return found;
    found = memcpy((char *)base + *count * size, key, size);
    ++*count;
    return found;
}

/* ---- search.h: doubly linked lists, whose elements begin with the next and the previous one ------------------- */

struct element { struct element *next, *previous; };
void insque(void *element, void *after) {
    struct element *one = element, *before = after;
    if (!before) {
        one->next = one->previous = 0;
        return;
    }
    one->next = before->next;
    one->previous = before;
    if (before->next) before->next->previous = one;
    before->next = one;
}
void remque(void *element) {
    struct element *one = element;
    if (one->next) one->next->previous = one->previous;
    if (one->previous) one->previous->next = one->next;
}
