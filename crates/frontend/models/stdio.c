/* stdio.h: formatted output to strings and formatted input from them, exactly for integers, characters, strings, pointers and floating-point numbers, except those of
 * `long double` that no `double` is near to, and more than a hundred digits of them: these give any text that is as long as they can. Input from streams is any.
 *
 * The caller's bytes are accessed plainly. The format is interpreted as the program runs.
 */

typedef __typeof__(L'a') wchar_t;
typedef __typeof__(sizeof(0)) size_t;
typedef __typeof__((char *)0 - (char *)0) ptrdiff_t;
typedef __builtin_va_list va_list;

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
extern void __threadproof_unsupported(const char *);
extern int __threadproof_looks_at_streams(void);
extern int __threadproof_next_character(void *);
extern void __threadproof_input_ends(void *);
extern int __threadproof_stream_failed(void *);
extern long __threadproof_some_long(void);
extern char __threadproof_some_char(void);
extern int *__errno_location(void);
extern void *malloc(size_t);
extern void *realloc(void *, size_t);
extern void free(void *);
extern char *strerror(int);
extern double strtod(const char *, char **);
extern float strtof(const char *, char **);
extern long strtol(const char *, char **, int);
extern unsigned long strtoul(const char *, char **, int);
extern long long strtoll(const char *, char **, int);
extern unsigned long long strtoull(const char *, char **, int);

enum { EOVERFLOW_ = 75, EILSEQ_ = 84 };

/* Lengths of an argument; what they mean is up to the conversion. */
enum length { PLAIN, CHAR, SHORT, LONG, LONG_LONG, SIZE, LONG_DOUBLE };

static const char *read_length(const char *format, enum length *length) {
    *length = PLAIN;
    switch (*format) {
    case 'h':
        *length = format[1] == 'h' ? CHAR : SHORT;
        return format + (format[1] == 'h' ? 2 : 1);
    case 'l':
        *length = format[1] == 'l' ? LONG_LONG : LONG;
        return format + (format[1] == 'l' ? 2 : 1);
    case 'q':
    case 'j':
        *length = LONG_LONG;
        return format + 1;
    case 'z':
    case 'Z':
    case 't':
        *length = SIZE;
        return format + 1;
    case 'L':
        *length = LONG_DOUBLE;
        return format + 1;
    }
    return format;
}

/* ---- output -------------------------------------------------------------------------------------------------- */

enum { LEFT = 1, PLUS = 2, BLANK = 4, ALTERNATE = 8, ZERO = 16, UPPER = 32 };

/* How a value is to be laid out; a negative precision is none. */
struct layout {
    int flags;
    long width, precision;
};

/* Where the text goes: `room` bytes at `out`, and how many there would be with enough room. */
struct sink {
    char *out;
    size_t room, n;
};

static void put(struct sink *sink, char c) {
    if (sink->n < sink->room) sink->out[sink->n] = c;
    sink->n++;
}
static void pad(struct sink *sink, char c, long count) {
    for (; count > 0; count--) put(sink, c);
}

/* A text with its padding. */
static void put_text(struct sink *sink, const struct layout *how, const char *text, long length) {
    if (!(how->flags & LEFT)) pad(sink, ' ', how->width - length);
    for (long i = 0; i < length; i++) put(sink, text[i]);
    if (how->flags & LEFT) pad(sink, ' ', how->width - length);
}

/* Digits, the last one first, behind a prefix (a sign, 0x) and zeros. */
static void put_digits(struct sink *sink, const struct layout *how, const char *prefix, const char *digits, long n_digits, long n_zeros) {
    long n_prefix = prefix[0] ? prefix[1] ? 2 : 1 : 0, spaces = how->width - n_prefix - n_digits - n_zeros;
    if (!(how->flags & (LEFT | ZERO))) pad(sink, ' ', spaces);
    for (long i = 0; i < n_prefix; i++) put(sink, prefix[i]);
    if ((how->flags & (LEFT | ZERO)) == ZERO) pad(sink, '0', spaces);
    pad(sink, '0', n_zeros);
    while (n_digits > 0) put(sink, digits[--n_digits]);
    if (how->flags & LEFT) pad(sink, ' ', spaces);
}

static const char *sign_of(const struct layout *how, int negative) {
    return negative ? "-" : how->flags & PLUS ? "+" : how->flags & BLANK ? " " : "";
}

/* The digits of a number, the last one first. Narrow division by a constant is what solvers like best. */
static long digits_of(char *digits, unsigned long long value, unsigned base, char ten) {
    long n = 0;
    if (base != 10) {
        for (; value; value >>= base == 16 ? 4 : 3) {
            unsigned digit = (unsigned)value & (base - 1);
            digits[n++] = digit < 10 ? '0' + digit : ten + (digit - 10);
        }
        return n;
    }
    for (; value > 0xffffffff; value /= 10) digits[n++] = '0' + (char)(value % 10);
    for (unsigned rest = (unsigned)value; rest; rest /= 10) digits[n++] = '0' + (char)(rest % 10);
    return n;
}

static void put_integer(struct sink *sink, struct layout *how, unsigned long long value, int is_signed, unsigned base) {
    char digits[24];
    long n_digits, n_zeros;
    int negative = is_signed && (long long)value < 0;
    const char *prefix = is_signed ? sign_of(how, negative) : "";
    n_digits = digits_of(digits, negative ? 0 - value : value, base, how->flags & UPPER ? 'A' : 'a');
    if (how->precision >= 0) how->flags &= ~ZERO;
    n_zeros = (how->precision >= 0 ? how->precision : 1) - n_digits;
    if (n_zeros < 0) n_zeros = 0;
    if (how->flags & ALTERNATE) {
        if (base == 16 && value) prefix = how->flags & UPPER ? "0X" : "0x";
        if (base == 8 && n_zeros == 0 && (value || how->precision == 0)) n_zeros = 1;
    }
    put_digits(sink, how, prefix, digits, n_digits, n_zeros);
}

static void put_pointer(struct sink *sink, struct layout *how, void *pointer) {
    if (!pointer) {
        put_text(sink, how, "(nil)", 5);
        return;
    }
    how->flags |= ALTERNATE;
    how->flags &= ~UPPER;
    const char *sign = sign_of(how, 0);
    if (*sign) __threadproof_unsupported("`%p` with a sign");
    put_integer(sink, how, (unsigned long)pointer, 0, 16);
}

/* Some text of a floating-point number: it has at most 309 digits before the point, and an exponent of at most 4. */
static void put_some_number(struct sink *sink, const struct layout *how, int negative) {
    long max = 330 + (how->precision < 0 ? 6 : how->precision), length = __threadproof_some_long();
    __VERIFIER_assume(length >= 1 && length <= max);
    if (length < how->width) length = how->width;
    for (long i = 0; i < length; i++) {
        char c = __threadproof_some_char();
        __VERIFIER_assume(c == ' ' || c == '+' || (c >= '-' && c <= '9' && c != '/') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
        put(sink, c);
    }
}

/* A number's text behind its sign. */
static void put_signed(struct sink *sink, const struct layout *how, const char *sign, const char *text, long length) {
    long spaces = how->width - (*sign != 0) - length;
    if (!(how->flags & (LEFT | ZERO))) pad(sink, ' ', spaces);
    if (*sign) put(sink, *sign);
    if ((how->flags & (LEFT | ZERO)) == ZERO) pad(sink, '0', spaces);
    for (long i = 0; i < length; i++) put(sink, text[i]);
    if (how->flags & LEFT) pad(sink, ' ', spaces);
}

/* `%f` of a number below 2^63 whose last bit is worth at least 2^-116: the fraction times ten still fits 128 bits. */
static void put_fixed(struct sink *sink, struct layout *how, unsigned long long mantissa, int exponent, int negative) {
    char digits[24];
    long n_digits = 0, precision = how->precision < 0 ? 6 : how->precision;
    unsigned __int128 fraction = 0, unit = 1;
    unsigned long long whole;
    char decimals[128];
    if (exponent >= 0) {
        whole = mantissa << exponent;
    } else {
        unit <<= -exponent;
        whole = (unsigned long long)(mantissa / unit);
        fraction = mantissa % unit;
    }
    for (long i = 0; i < precision && i < 128; i++) {
        fraction *= 10;
        decimals[i] = (char)('0' + (unsigned)(fraction / unit));
        fraction %= unit;
    }
    int last_odd = precision > 0 ? decimals[precision - 1] & 1 : whole & 1;
    if (precision <= 128 && (fraction > unit / 2 || (unit > 1 && fraction == unit / 2 && last_odd))) {
        long i = precision;
        while (i > 0 && decimals[i - 1] == '9') decimals[--i] = '0';
        if (i > 0) decimals[i - 1]++;
        else whole++;
    }
    for (; whole; whole /= 10) digits[n_digits++] = '0' + (char)(whole % 10);
    if (n_digits == 0) digits[n_digits++] = '0';
    int point = precision > 0 || how->flags & ALTERNATE;
    char text[24 + 1 + 128];
    long length = 0;
    while (n_digits > 0) text[length++] = digits[--n_digits];
    if (point) text[length++] = '.';
    for (long i = 0; i < precision; i++) text[length++] = decimals[i];
    put_signed(sink, how, sign_of(how, negative), text, length);
}

enum { MAX_SIGNIFICANT = 100 };

/* The first `wanted` digits of a number that is as for `put_fixed`, rounded to even; gives the power of ten of the first one. */
static int significant_digits(char *digits, long wanted, unsigned long long mantissa, int exponent) {
    unsigned __int128 fraction = 0, unit = 1;
    unsigned long long whole;
    char reversed[24];
    long n_whole = 0, n = 0;
    int power, sticky = 0, next = 0;
    if (exponent >= 0) {
        whole = mantissa << exponent;
    } else {
        unit <<= -exponent;
        whole = (unsigned long long)(mantissa / unit);
        fraction = mantissa % unit;
    }
    for (; whole; whole /= 10) reversed[n_whole++] = (char)(whole % 10);
    power = (int)n_whole - 1;
    if (n_whole == 0 && fraction)
        for (; fraction * 10 < unit; fraction *= 10) power--;
    if (n_whole == 0 && !fraction) power = 0;
    for (; n <= wanted; n++) {
        if (n_whole > 0) {
            next = reversed[--n_whole];
        } else {
            fraction *= 10;
            next = (int)(fraction / unit);
            fraction %= unit;
        }
        if (n < wanted) digits[n] = (char)next;
    }
    sticky = fraction != 0;
    while (n_whole > 0) sticky |= reversed[--n_whole] != 0;
    if (next > 5 || (next == 5 && (sticky || digits[wanted - 1] & 1))) {
        long i = wanted;
        while (i > 0 && digits[i - 1] == 9) digits[--i] = 0;
        if (i > 0) {
            digits[i - 1]++;
        } else {
            digits[0] = 1;
            power++;
        }
    }
    return power;
}

/* `%e`: a digit, the point, others, and an exponent of at least two digits. */
static long scientific_text(char *text, const char *digits, long n_digits, int power, const struct layout *how) {
    long n = 0;
    unsigned size = power < 0 ? -power : power;
    text[n++] = '0' + digits[0];
    if (n_digits > 1 || how->flags & ALTERNATE) text[n++] = '.';
    for (long i = 1; i < n_digits; i++) text[n++] = '0' + digits[i];
    text[n++] = how->flags & UPPER ? 'E' : 'e';
    text[n++] = power < 0 ? '-' : '+';
    if (size >= 100) text[n++] = (char)('0' + size / 100);
    text[n++] = (char)('0' + size / 10 % 10);
    text[n++] = (char)('0' + size % 10);
    return n;
}

/* `%g` of a number whose exponent is small enough: digits around the point. */
static long plain_text(char *text, const char *digits, long n_digits, int power, const struct layout *how) {
    long n = 0, at = 0;
    if (power < 0) text[n++] = '0';
    for (; power >= 0; power--) text[n++] = at < n_digits ? '0' + digits[at++] : '0';
    if (at < n_digits || how->flags & ALTERNATE) text[n++] = '.';
    for (; power < -1; power++) text[n++] = '0';
    while (at < n_digits) text[n++] = '0' + digits[at++];
    return n;
}

/* `%e` and `%g` of a number with the given digits. */
static void put_rounded(struct sink *sink, struct layout *how, char conversion, const char *digits, long wanted, int power, int negative) {
    char text[MAX_SIGNIFICANT + 32];
    int is_general = (conversion | 32) == 'g';
    long n_digits = wanted, length;
    if (is_general && !(how->flags & ALTERNATE))
        while (n_digits > 1 && digits[n_digits - 1] == 0) n_digits--;
    if (is_general && power >= -4 && power < wanted) length = plain_text(text, digits, n_digits, power, how);
    else length = scientific_text(text, digits, n_digits, power, how);
    put_signed(sink, how, sign_of(how, negative), text, length);
}
static long significant(const struct layout *how, char conversion) {
    long wanted = how->precision < 0 ? 6 : how->precision;
    if ((conversion | 32) != 'g') return wanted + 1;
    return wanted == 0 ? 1 : wanted;
}
/* `%e` and `%g` of a number that is as for `put_fixed`. */
static void put_significant(struct sink *sink, struct layout *how, char conversion, unsigned long long mantissa, int exponent, int negative) {
    char digits[MAX_SIGNIFICANT + 1];
    long wanted = significant(how, conversion);
    int power = significant_digits(digits, wanted, mantissa, exponent);
    put_rounded(sink, how, conversion, digits, wanted, power, negative);
}

enum { MIN_EXPONENT = -1140, MAX_EXPONENT = 971, MAX_LIMBS = 96, MAX_DIGITS = 9 * MAX_LIMBS, BILLION = 1000000000 };

/* All digits of a number, most significant first: as an integer times a power of five or two, in limbs of nine digits. Stores how many of them stand behind the point. */
static long all_digits(char *digits, unsigned long long mantissa, int exponent, long *behind) {
    unsigned limbs[MAX_LIMBS];
    int n = 0, left = exponent < 0 ? -exponent : exponent, most = exponent < 0 ? 13 : 29;
    long n_digits = 0;
    for (; mantissa; mantissa /= BILLION) limbs[n++] = (unsigned)(mantissa % BILLION);
    for (*behind = exponent < 0 ? left : 0; left > 0; left -= most) {
        unsigned long long factor = 1, carry = 0;
        for (int i = 0; i < most && i < left; i++) factor *= exponent < 0 ? 5 : 2;
        for (int i = 0; i < n; i++) {
            carry += limbs[i] * factor;
            limbs[i] = (unsigned)(carry % BILLION);
            carry /= BILLION;
        }
        for (; carry; carry /= BILLION) limbs[n++] = (unsigned)(carry % BILLION);
    }
    while (n-- > 0)
        for (unsigned unit = BILLION / 10; unit; unit /= 10) {
            char digit = (char)(limbs[n] / unit % 10);
            if (digit || n_digits) digits[n_digits++] = digit;
        }
    return n_digits;
}
/* Any `%f`, `%e` and `%g`. */
static void put_any(struct sink *sink, struct layout *how, char conversion, unsigned long long mantissa, int exponent, int negative) {
    char digits[MAX_DIGITS + MAX_SIGNIFICANT + 1];
    long behind, n = all_digits(digits, mantissa, exponent, &behind), before = n - behind, precision = how->precision < 0 ? 6 : how->precision;
    int is_fixed = (conversion | 32) == 'f';
    long wanted = is_fixed ? before + precision : significant(how, conversion), kept = wanted < 0 ? 0 : wanted;
    if (kept < n) {
        int next = wanted < 0 ? 0 : digits[kept], sticky = 0, odd = kept > 0 ? digits[kept - 1] & 1 : 0;
        for (long i = kept + 1; i < n; i++) sticky |= digits[i];
        n = kept;
        if (next > 5 || (next == 5 && (sticky || odd))) {
            while (kept > 0 && digits[kept - 1] == 9) digits[--kept] = 0;
            if (kept > 0) {
                digits[kept - 1]++;
            } else {
                for (long i = n; i > 0; i--) digits[i] = digits[i - 1];
                digits[0] = 1;
                before++;
                n++;
            }
        }
    }
    if (!is_fixed) {
        while (n < wanted) digits[n++] = 0;
        put_rounded(sink, how, conversion, digits, wanted, (int)before - 1, negative);
        return;
    }
    char text[320 + 1 + 128];
    long length = 0;
    if (before <= 0) text[length++] = '0';
    for (long i = 0; i < before; i++) text[length++] = i < n ? '0' + digits[i] : '0';
    if (precision > 0 || how->flags & ALTERNATE) text[length++] = '.';
    for (long i = before; i < before + precision; i++) text[length++] = i >= 0 && i < n ? '0' + digits[i] : '0';
    put_signed(sink, how, sign_of(how, negative), text, length);
}

/* `%a`: a digit, and a fraction of 15 hexadecimal digits, times a power of two. */
static void put_hexadecimal(struct sink *sink, struct layout *how, unsigned first, unsigned long long fraction, int power, int negative) {
    char text[64], *letters = how->flags & UPPER ? "0123456789ABCDEF" : "0123456789abcdef";
    long n = 0, n_digits = 15, wanted = how->precision, n_zeros;
    if (wanted < 0)
        for (wanted = 15; wanted > 0 && !(fraction >> 4 * (15 - wanted) & 15); wanted--) {}
    if (wanted < n_digits) {
        int at = 4 * (15 - (int)wanted);
        unsigned long long unit = 1ULL << at, rest = fraction & (unit - 1);
        int odd = at < 60 ? fraction >> at & 1 : first & 1;
        fraction -= rest;
        if (rest > unit / 2 || (rest == unit / 2 && odd)) fraction += unit;
        first += (unsigned)(fraction >> 60);
        fraction &= (1ULL << 60) - 1;
        n_digits = wanted;
    }
    if (first == 16) {
        first = 1;
        power += 4;
    }
    n_zeros = wanted > 15 ? wanted - 15 : 0;
    text[n++] = letters[first];
    if (wanted > 0 || how->flags & ALTERNATE) text[n++] = '.';
    for (long i = 1; i <= n_digits; i++) text[n++] = letters[fraction >> (60 - 4 * i) & 15];
    for (; n_zeros > 0 && n < 40; n_zeros--) text[n++] = '0';
    if (n_zeros > 0) {
        put_some_number(sink, how, negative);
        return;
    }
    text[n++] = how->flags & UPPER ? 'P' : 'p';
    text[n++] = power < 0 ? '-' : '+';
    char reversed[8];
    int n_reversed = 0;
    unsigned size = power < 0 ? -power : power;
    do reversed[n_reversed++] = (char)('0' + size % 10); while (size /= 10);
    while (n_reversed > 0) text[n++] = reversed[--n_reversed];
    const char *sign = sign_of(how, negative);
    long spaces = how->width - (*sign != 0) - 2 - n;
    if (!(how->flags & (LEFT | ZERO))) pad(sink, ' ', spaces);
    if (*sign) put(sink, *sign);
    put(sink, '0');
    put(sink, how->flags & UPPER ? 'X' : 'x');
    if ((how->flags & (LEFT | ZERO)) == ZERO) pad(sink, '0', spaces);
    for (long i = 0; i < n; i++) put(sink, text[i]);
    if (how->flags & LEFT) pad(sink, ' ', spaces);
}

static void put_special(struct sink *sink, struct layout *how, int is_nan, int negative) {
    char text[4];
    long n = 0;
    const char *sign = sign_of(how, negative), *word = is_nan ? "nan" : "inf";
    if (*sign) text[n++] = *sign;
    for (int i = 0; i < 3; i++) text[n++] = how->flags & UPPER ? word[i] - 32 : word[i];
    put_text(sink, how, text, n);
}
/* A finite number; `largest` is the exponent up to which a mantissa still fits 63 bits. */
static void put_finite(struct sink *sink, struct layout *how, char conversion, unsigned long long mantissa, int exponent, int largest, int negative) {
    int is_fixed = (conversion | 32) == 'f', is_ordinary = exponent >= -116 && exponent <= largest;
    if (how->precision > 128 || (!is_fixed && how->precision >= MAX_SIGNIFICANT) || exponent < MIN_EXPONENT || exponent > MAX_EXPONENT)
        put_some_number(sink, how, negative);
    else if (!is_ordinary)
        put_any(sink, how, conversion, mantissa, exponent, negative);
    else if (is_fixed)
        put_fixed(sink, how, mantissa, exponent, negative);
    else
        put_significant(sink, how, conversion, mantissa, exponent, negative);
}
static void put_double(struct sink *sink, struct layout *how, char conversion, double value) {
    union { double value; unsigned long long bits; } pun;
    pun.value = value;
    int negative = pun.bits >> 63, exponent = (int)(pun.bits >> 52 & 0x7ff);
    unsigned long long mantissa = pun.bits & 0xfffffffffffffULL;
    if (exponent == 0x7ff) {
        put_special(sink, how, mantissa != 0, negative);
        return;
    }
    if ((conversion | 32) == 'a') {
        int power = exponent ? exponent - 1023 : mantissa ? -1022 : 0;
        put_hexadecimal(sink, how, exponent != 0, mantissa << 8, power, negative);
        return;
    }
    if (exponent || mantissa) {
        if (exponent) mantissa |= 1ULL << 52;
        exponent = (exponent ? exponent : 1) - 1075;
    }
    put_finite(sink, how, conversion, mantissa, exponent, 10, negative);
}
/* The format of x87: 64 bits of which the first is explicit, and 15 of exponent. */
static void put_long_double(struct sink *sink, struct layout *how, char conversion, long double value) {
    union { long double value; struct { unsigned long long mantissa; unsigned short exponent; } parts; } pun;
    pun.value = value;
    unsigned long long mantissa = pun.parts.mantissa;
    int negative = pun.parts.exponent >> 15, exponent = pun.parts.exponent & 0x7fff;
    if (exponent == 0x7fff) {
        put_special(sink, how, (mantissa << 1) != 0, negative);
        return;
    }
    if ((conversion | 32) == 'a') {
        int power = mantissa ? (exponent ? exponent : 1) - 16383 - 3 : 0;
        put_hexadecimal(sink, how, (unsigned)(mantissa >> 60), mantissa & ((1ULL << 60) - 1), power, negative);
        return;
    }
    put_finite(sink, how, conversion, mantissa, mantissa ? (exponent ? exponent : 1) - 16383 - 63 : 0, 0, negative);
}

static void put_string(struct sink *sink, const struct layout *how, const char *s) {
    long length = 0;
    while ((how->precision < 0 || length < how->precision) && s[length]) length++;
    put_text(sink, how, s, length);
}

/* Wide characters: those of ASCII only. */
static void put_wide_string(struct sink *sink, const struct layout *how, const int *s) {
    long length = 0;
    for (; (how->precision < 0 || length < how->precision) && s[length]; length++)
        if (s[length] < 0 || s[length] > 127) __threadproof_unsupported("output of a wide character outside of ASCII");
    if (!(how->flags & LEFT)) pad(sink, ' ', how->width - length);
    for (long i = 0; i < length; i++) put(sink, (char)s[i]);
    if (how->flags & LEFT) pad(sink, ' ', how->width - length);
}

static unsigned long long next_integer(va_list *args, enum length length, int is_signed) {
    switch (length) {
    case CHAR:
        return is_signed ? (unsigned long long)(signed char)__builtin_va_arg(*args, int) : (unsigned char)__builtin_va_arg(*args, int);
    case SHORT:
        return is_signed ? (unsigned long long)(short)__builtin_va_arg(*args, int) : (unsigned short)__builtin_va_arg(*args, int);
    case LONG:
        return is_signed ? (unsigned long long)__builtin_va_arg(*args, long) : __builtin_va_arg(*args, unsigned long);
    case SIZE:
        return is_signed ? (unsigned long long)__builtin_va_arg(*args, ptrdiff_t) : __builtin_va_arg(*args, size_t);
    case LONG_LONG:
    case LONG_DOUBLE:
        return __builtin_va_arg(*args, unsigned long long);
    case PLAIN:
        break;
    }
    return is_signed ? (unsigned long long)__builtin_va_arg(*args, int) : __builtin_va_arg(*args, unsigned);
}

static void store_integer(void *target, enum length length, unsigned long long value) {
    switch (length) {
    case CHAR: *(char *)target = (char)value; return;
    case SHORT: *(short *)target = (short)value; return;
    case LONG: *(long *)target = (long)value; return;
    case SIZE: *(size_t *)target = (size_t)value; return;
    case LONG_LONG:
    case LONG_DOUBLE: *(long long *)target = (long long)value; return;
    case PLAIN: *(int *)target = (int)value; return;
    }
}

/* `%2$d` converts the second of all arguments. Where a word is as wide as any argument, each of those before it takes one. */
static const char *select_argument(const char *format, va_list *args, va_list *all) {
    const char *end = format;
    long number = 0;
    for (; *end >= '0' && *end <= '9'; end++) number = number * 10 + (*end - '0');
    if (*end != '$' || number == 0) return format;
    if (sizeof(void *) < sizeof(long long)) __threadproof_unsupported("numbered arguments of a format");
    __builtin_va_copy(*args, *all);
    for (; number > 1; number--) (void)__builtin_va_arg(*args, int);
    return end + 1;
}

static const char *read_layout(const char *format, struct layout *how, va_list *args) {
    how->flags = 0;
    how->width = 0;
    how->precision = -1;
    for (;; format++) {
        if (*format == '-') how->flags |= LEFT;
        else if (*format == '+') how->flags |= PLUS;
        else if (*format == ' ') how->flags |= BLANK;
        else if (*format == '#') how->flags |= ALTERNATE;
        else if (*format == '0') how->flags |= ZERO;
        else if (*format != '\'' && *format != 'I') break;
    }
    if (*format == '*') {
        how->width = __builtin_va_arg(*args, int);
        if (how->width < 0) {
            how->flags |= LEFT;
            how->width = -how->width;
        }
        format++;
        if (*format >= '0' && *format <= '9') __threadproof_unsupported("a numbered width of a format");
    } else {
        for (; *format >= '0' && *format <= '9'; format++) how->width = how->width * 10 + (*format - '0');
    }
    if (*format == '.') {
        format++;
        how->precision = 0;
        if (*format == '*') {
            how->precision = __builtin_va_arg(*args, int);
            format++;
            if (*format >= '0' && *format <= '9') __threadproof_unsupported("a numbered precision of a format");
        } else {
            for (; *format >= '0' && *format <= '9'; format++) how->precision = how->precision * 10 + (*format - '0');
        }
    }
    return format;
}

static void convert(struct sink *sink, struct layout *how, enum length length, char conversion, va_list *args) {
    char character;
    int wide;
    if (conversion >= 'A' && conversion <= 'Z') how->flags |= UPPER;
    switch (conversion) {
    case 'd':
    case 'i': put_integer(sink, how, next_integer(args, length, 1), 1, 10); return;
    case 'u': put_integer(sink, how, next_integer(args, length, 0), 0, 10); return;
    case 'o': put_integer(sink, how, next_integer(args, length, 0), 0, 8); return;
    case 'x':
    case 'X': put_integer(sink, how, next_integer(args, length, 0), 0, 16); return;
    case 'p': put_pointer(sink, how, __builtin_va_arg(*args, void *)); return;
    case '%': put(sink, '%'); return;
    case 'C':
    case 'c':
        if (length == LONG || conversion == 'C') {
            wide = __builtin_va_arg(*args, int);
            if (wide < 0 || wide > 127) __threadproof_unsupported("output of a wide character outside of ASCII");
            character = (char)wide;
        } else {
            character = (char)__builtin_va_arg(*args, int);
        }
        put_text(sink, how, &character, 1);
        return;
    case 'S':
    case 's':
        if (length == LONG || conversion == 'S') put_wide_string(sink, how, __builtin_va_arg(*args, const int *));
        else put_string(sink, how, __builtin_va_arg(*args, const char *));
        return;
    case 'n': store_integer(__builtin_va_arg(*args, void *), length, sink->n); return;
    case 'm': put_string(sink, how, strerror(*__errno_location())); return;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (length == LONG_DOUBLE) put_long_double(sink, how, conversion, __builtin_va_arg(*args, long double));
        else put_double(sink, how, conversion, __builtin_va_arg(*args, double));
        return;
    }
    __threadproof_unsupported("an unknown conversion in a format");
}

/* Unlimited if `size` is that of everything. */
static int print(char *out, size_t size, const char *format, va_list args) {
    struct sink sink;
    struct layout how;
    enum length length;
    sink.out = out;
    sink.room = size ? size - 1 : 0;
    sink.n = 0;
    va_list all, next;
    __builtin_va_copy(all, args);
    __builtin_va_copy(next, args);
    while (*format) {
        if (*format != '%') {
            put(&sink, *format++);
            continue;
        }
        format = select_argument(format + 1, &next, &all);
        format = read_layout(format, &how, &next);
        format = read_length(format, &length);
        convert(&sink, &how, length, *format, &next);
        format++;
    }
    if (size) out[sink.n < size ? sink.n : size - 1] = 0;
    if (sink.n > 0x7fffffff) {
        *__errno_location() = EOVERFLOW_;
        return -1;
    }
    return (int)sink.n;
}

int vsnprintf(char *out, size_t size, const char *format, va_list args) { return print(out, size, format, args); }
int vsprintf(char *out, const char *format, va_list args) { return print(out, ~(size_t)0, format, args); }
int snprintf(char *out, size_t size, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return print(out, size, format, args);
}
int sprintf(char *out, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return print(out, ~(size_t)0, format, args);
}
int vasprintf(char **result, const char *format, va_list args) {
    va_list again;
    __builtin_va_copy(again, args);
    int length = print(0, 0, format, args);
    if (length < 0) return -1;
    char *text = malloc((size_t)length + 1);
    if (!text) return -1;
    int same = print(text, (size_t)length + 1, format, again);
    __VERIFIER_assume(same == length); /* what was any text is the same both times */
    *result = text;
    return length;
}
/* Wide characters: those of ASCII only. The text is written as `sprintf` does. */
int vswprintf(int *out, size_t size, const int *format, va_list args) {
    enum { MAX_TEXT = 512 };
    char narrow[MAX_TEXT], text[MAX_TEXT];
    size_t n = 0;
    for (; format[n]; n++) {
        if (n == MAX_TEXT - 1) __threadproof_unsupported("a wide format of more than 511 characters");
        if (format[n] < 0 || format[n] > 127) __threadproof_unsupported("output of a wide character outside of ASCII");
        narrow[n] = (char)format[n];
    }
    narrow[n] = 0;
    int length = print(text, MAX_TEXT, narrow, args);
    if (length >= MAX_TEXT) __threadproof_unsupported("wide output of more than 511 characters");
    if (length < 0) return -1;
    if ((size_t)length >= size) {
        int unspecified;
        for (size_t i = 0; i < size; i++) __builtin_memcpy(&out[i], &unspecified, sizeof unspecified);
        return -1;
    }
    for (int i = 0; i <= length; i++) out[i] = text[i];
    return length;
}
int swprintf(int *out, size_t size, const int *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return vswprintf(out, size, format, args);
}
int asprintf(char **result, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return vasprintf(result, format, args);
}
int __asprintf(char **result, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return vasprintf(result, format, args);
}

/* ---- input from strings -------------------------------------------------------------------------------------- */

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int is_digit(int c, int base) {
    if (c >= '0' && c <= '9') return c - '0' < base;
    return base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'));
}

/* Whether the set that starts at `set` (behind `[` and `^`) holds `c`. */
static int in_set(const char *set, int c) {
    for (const char *at = set; at == set || *at != ']'; at++) {
        if (at[1] == '-' && at[2] != ']') {
            if ((unsigned char)c >= (unsigned char)at[0] && (unsigned char)c <= (unsigned char)at[2]) return 1;
            at += 2;
        } else if (*at == (char)c) {
            return 1;
        }
    }
    return 0;
}
static const char *after_set(const char *set) {
    const char *at = set;
    while (at == set || *at != ']') at++;
    return at + 1;
}

/* A directive of a format: `%`, then what was read of it. */
struct directive {
    int suppress;
    long width; /* -1: unlimited */
    enum length length;
    char conversion;
    int negated;
    const char *set;
};

static const char *read_directive(const char *format, struct directive *directive) {
    directive->suppress = 0;
    directive->width = -1;
    directive->negated = 0;
    if (*format == '*') {
        directive->suppress = 1;
        format++;
    }
    if (*format >= '0' && *format <= '9') {
        directive->width = 0;
        for (; *format >= '0' && *format <= '9'; format++) directive->width = directive->width * 10 + (*format - '0');
        if (*format == '$') __threadproof_unsupported("numbered arguments of a format");
        if (directive->width == 0) directive->width = -1;
    }
    if (*format == 'm') __threadproof_unsupported("`%m` in a format for input");
    format = read_length(format, &directive->length);
    directive->conversion = *format++;
    if (directive->conversion == '[') {
        if (*format == '^') {
            directive->negated = 1;
            format++;
        }
        directive->set = format;
        format = after_set(format);
    }
    if (directive->length == LONG && (directive->conversion == 'c' || directive->conversion == 's' || directive->conversion == '['))
        __threadproof_unsupported("input of wide characters");
    return format;
}

/* Copies an integer's text of at most `width` characters; gives how much of the input it takes, 0 for a matching failure. */
static long integer_text(const char *s, long width, int *base, int binary, char *text, long size) {
    long at = 0, n = 0;
    if (width < 0) width = 0x7fffffff;
    if (at < width && (s[at] == '-' || s[at] == '+')) text[n++] = s[at++];
    long digits = n;
    if (at < width && s[at] == '0') {
        text[n++] = s[at++];
        if (at < width && (s[at] == 'x' || s[at] == 'X') && (*base == 0 || *base == 16)) {
            *base = 16;
            at++;
        } else if (binary && at < width && (s[at] == 'b' || s[at] == 'B') && (*base == 0 || *base == 2)) {
            *base = 2;
            at++;
        } else if (*base == 0) {
            *base = 8;
        }
    }
    if (*base == 0) *base = 10;
    for (; at < width && is_digit(s[at], *base); at++) {
        if (n == size - 1) __threadproof_unsupported("input of a number of more than 80 digits");
        text[n++] = s[at];
    }
    text[n] = 0;
    return n == digits ? 0 : at;
}

static unsigned long long text_value(const char *text, const struct directive *directive, int base) {
    int is_wide = directive->length == LONG_LONG || directive->length == LONG_DOUBLE;
    if (directive->conversion == 'd' || directive->conversion == 'i')
        return is_wide ? (unsigned long long)strtoll(text, 0, base) : (unsigned long long)strtol(text, 0, base);
    return is_wide ? strtoull(text, 0, base) : strtoul(text, 0, base);
}

static int base_of(char conversion) {
    return conversion == 'i' ? 0 : conversion == 'o' ? 8 : conversion == 'd' || conversion == 'u' ? 10 : 16;
}

/* A number with a fraction: how much of the input it takes. */
static long scan_double(const char *s, const struct directive *directive, void *target) {
    char *end;
    if (directive->width >= 0 || directive->length == LONG_DOUBLE)
        __threadproof_unsupported("input of a `long double`, or of a floating-point number with a width");
    if (directive->length == LONG) {
        double value = strtod(s, &end);
        if (end != s && target) *(double *)target = value;
    } else {
        float value = strtof(s, &end);
        if (end != s && target) *(float *)target = value;
    }
    if ((*end | 32) == 'e' || (*end | 32) == 'p' || *end == '(' || *end == 'i' || *end == 'I' || (end == s && (*s | 32) == 'i') ||
        (end == s && (*s | 32) == 'n') || (*end | 32) == 'x' || ((*s == '-' || *s == '+') && end == s))
        __threadproof_unsupported("input of a floating-point number that ends too soon");
    return end - s;
}

/* Characters, strings and sets: how many are taken. */
static long scan_characters(const char *s, const struct directive *directive, char *target) {
    long n = 0, most = directive->width;
    if (directive->conversion == 'c' && most < 0) most = 1;
    for (; (most < 0 || n < most) && s[n]; n++) {
        if (directive->conversion == 's' && is_space(s[n])) break;
        if (directive->conversion == '[' && in_set(directive->set, s[n]) == directive->negated) break;
        if (target) target[n] = s[n];
    }
    if (n > 0 && target && directive->conversion != 'c') target[n] = 0;
    return n;
}

static int scan(const char *input, const char *format, va_list args, int binary) {
    const char *s = input;
    int done = 0;
    struct directive directive;
    while (*format) {
        if (is_space(*format)) {
            while (is_space(*s)) s++;
            format++;
            continue;
        }
        if (*format != '%') {
            if (!*s) return done ? done : -1;
            if (*s++ != *format++) return done;
            continue;
        }
        format = read_directive(format + 1, &directive);
        char conversion = directive.conversion;
        if (conversion == 'n') {
            if (!directive.suppress) store_integer(__builtin_va_arg(args, void *), directive.length, (unsigned long long)(s - input));
            continue;
        }
        if (conversion != 'c' && conversion != '[')
            while (is_space(*s)) s++;
        if (!*s) return done ? done : -1;
        if (conversion == '%') {
            if (*s++ != '%') return done;
            continue;
        }
        void *target = directive.suppress ? 0 : __builtin_va_arg(args, void *);
        long taken;
        switch (conversion) {
        case 'd':
        case 'i':
        case 'u':
        case 'o':
        case 'x':
        case 'X':
        case 'p': {
            char text[84];
            int base = base_of(conversion);
            taken = integer_text(s, directive.width, &base, binary, text, sizeof text);
            if (taken == 0 && conversion == 'p' && s[0] == '(') __threadproof_unsupported("input of a null pointer");
            if (taken == 0) return done;
            if (conversion == 'p') directive.length = LONG;
            if (target) store_integer(target, directive.length, text_value(text, &directive, base));
            break;
        }
        case 'c':
        case 's':
        case '[':
            taken = scan_characters(s, &directive, target);
            break;
        case 'a':
        case 'A':
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
            taken = scan_double(s, &directive, target);
            break;
        default:
            taken = 0;
            __threadproof_unsupported("an unknown conversion in a format");
        }
        if (taken == 0) return done;
        s += taken;
        if (target) done++;
    }
    return done;
}

int vsscanf(const char *input, const char *format, va_list args) { return scan(input, format, args, 0); }
int __isoc99_vsscanf(const char *input, const char *format, va_list args) { return scan(input, format, args, 0); }
int __isoc23_vsscanf(const char *input, const char *format, va_list args) { return scan(input, format, args, 1); }
int sscanf(const char *input, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan(input, format, args, 0);
}
int __isoc99_sscanf(const char *input, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan(input, format, args, 0);
}
int __isoc23_sscanf(const char *input, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan(input, format, args, 1);
}

/* ---- input from streams: any --------------------------------------------------------------------------------- */

static void store_any(void *target, const struct directive *directive) {
    switch (directive->conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X': store_integer(target, directive->length, __VERIFIER_nondet_ulonglong()); return;
    case 'p': *(unsigned long *)target = __VERIFIER_nondet_ulong(); return;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (directive->length == LONG_DOUBLE) __threadproof_unsupported("input of a `long double`");
        if (directive->length == LONG) *(double *)target = __VERIFIER_nondet_double();
        else *(float *)target = __VERIFIER_nondet_float();
        return;
    }
    __threadproof_unsupported("an unknown conversion in a format");
}

static void store_any_characters(char *target, const struct directive *directive) {
    long n = 0, most = directive->width;
    if (directive->conversion == 'c' && most < 0) most = 1;
    do { /* at least one */
        char c = __VERIFIER_nondet_char();
        if (directive->conversion == 's') __VERIFIER_assume(!is_space(c));
        if (directive->conversion == '[') __VERIFIER_assume(in_set(directive->set, c) != directive->negated);
        target[n++] = c;
    } while ((most < 0 || n < most) && (directive->conversion == 'c' || __VERIFIER_nondet_bool()));
    if (directive->conversion != 'c') target[n] = 0;
}

/* Any input: it may end, or not match, before each directive. */
static int scan_any(void *stream, const char *format, va_list args) {
    int done = 0, read = 0;
    struct directive directive;
    while (*format) {
        if (*format != '%') {
            format++;
            continue;
        }
        format = read_directive(format + 1, &directive);
        char conversion = directive.conversion;
        if (conversion == '%') continue;
        if (conversion == 'n') {
            int more = __VERIFIER_nondet_int();
            __VERIFIER_assume(more >= read);
            read = more;
            if (!directive.suppress) store_integer(__builtin_va_arg(args, void *), directive.length, (unsigned long long)read);
            continue;
        }
        if (__VERIFIER_nondet_bool()) {
            if (!__VERIFIER_nondet_bool()) return done; /* it does not match */
            if (__threadproof_looks_at_streams()) __threadproof_input_ends(stream);
            return done == 0 ? -1 : done;
        }
        if (directive.suppress) continue;
        void *target = __builtin_va_arg(args, void *);
        if (conversion == 'c' || conversion == 's' || conversion == '[') store_any_characters(target, &directive);
        else store_any(target, &directive);
        done++;
    }
    return done;
}

int vscanf(const char *format, va_list args) { return scan_any(0, format, args); }
int __isoc99_vscanf(const char *format, va_list args) { return scan_any(0, format, args); }
int __isoc23_vscanf(const char *format, va_list args) { return scan_any(0, format, args); }
int vfscanf(void *stream, const char *format, va_list args) { return scan_any(stream, format, args); }
int __isoc99_vfscanf(void *stream, const char *format, va_list args) { return scan_any(stream, format, args); }
int __isoc23_vfscanf(void *stream, const char *format, va_list args) { return scan_any(stream, format, args); }
int scanf(const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan_any(0, format, args);
}
int __isoc99_scanf(const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan_any(0, format, args);
}
int __isoc23_scanf(const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan_any(0, format, args);
}
int fscanf(void *stream, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan_any(stream, format, args);
}
int __isoc99_fscanf(void *stream, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan_any(stream, format, args);
}
int __isoc23_fscanf(void *stream, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return scan_any(stream, format, args);
}

/* The next character, or -1; the stream is null for the standard input. */
static int next(void *stream) {
    if (__threadproof_looks_at_streams()) return __threadproof_next_character(stream);
    return __VERIFIER_nondet_bool() ? -1 : __VERIFIER_nondet_uchar();
}
int getchar(void) { return next(0); }
int fgetc(void *stream) { return next(stream); }
int getc(void *stream) { return next(stream); }
int _IO_getc(void *stream) { return next(stream); }
int getchar_unlocked(void) { return getchar(); }
int getc_unlocked(void *stream) { return next(stream); }
int fgetc_unlocked(void *stream) { return next(stream); }
int getw(void *stream) { return __VERIFIER_nondet_int(); }

/* Whether it was an error that ended the input. */
static int failed(void *stream) { return __threadproof_looks_at_streams() ? __threadproof_stream_failed(stream) : __VERIFIER_nondet_bool(); }

/* A line of at most `size` - 1 characters: a newline can only be the last. An error may have written something already. */
char *fgets(char *s, int size, void *stream) {
    int n = 0;
    if (size <= 0) return 0;
    while (n < size - 1) {
        int c = next(stream);
        if (c < 0) {
            if (n == 0) return 0; /* the end of the input: nothing is written */
            if (failed(stream)) return 0;
            break;
        }
        s[n++] = (char)c;
        if (c == '\n') break;
    }
    s[n] = 0;
    return s;
}
char *fgets_unlocked(char *s, int size, void *stream) { return fgets(s, size, stream); }
/* A line of any length: sooner or later outside of whatever it is read into. */
char *gets(char *s) {
    size_t n = 0;
    for (;;) {
        int c = next(0);
        if (c < 0 && (n == 0 || failed(0))) return 0;
        if (c < 0 || c == '\n') break;
        s[n++] = (char)c;
    }
    s[n] = 0;
    return s;
}
/* Wide characters, in the C locale: a byte that is no ASCII is an error. */
static unsigned next_wide(void *stream) {
    int c = next(stream);
    if (c < 128) return (unsigned)c;
    *__errno_location() = EILSEQ_;
    return (unsigned)-1;
}
unsigned fgetwc(void *stream) { return next_wide(stream); }
unsigned getwc(void *stream) { return next_wide(stream); }
unsigned getwchar(void) { return next_wide(0); }
wchar_t *fgetws(wchar_t *s, int size, void *stream) {
    int n = 0;
    if (size <= 0) return 0;
    while (n < size - 1) {
        int c = next(stream);
        if (c >= 128) {
            *__errno_location() = EILSEQ_;
            return 0;
        }
        if (c < 0) {
            if (n == 0) return 0;
            if (failed(stream)) return 0;
            break;
        }
        s[n++] = c;
        if (c == '\n') break;
    }
    s[n] = 0;
    return s;
}
static size_t read_all(char *to, size_t total, void *stream) {
    for (size_t i = 0; i < total; i++) {
        int c = __threadproof_next_character(stream);
        if (c < 0) return i;
        to[i] = (char)c;
    }
    return total;
}
size_t fread(void *memory, size_t size, size_t count, void *stream) {
    size_t total = size * count, n;
    char *m = memory;
    if (total == 0) return 0;
    if (__threadproof_looks_at_streams()) return read_all(memory, total, stream) / size;
    n = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(n <= total);
    for (size_t i = 0; i < n; i++) m[i] = __VERIFIER_nondet_char();
    return n / size;
}
size_t fread_unlocked(void *memory, size_t size, size_t count, void *stream) { return fread(memory, size, count, stream); }
ptrdiff_t getdelim(char **line, size_t *size, int delimiter, void *stream) {
    size_t n = 0;
    if (!line || !size) {
        *__errno_location() = 22; /* EINVAL */
        return -1;
    }
    if (!*line || *size == 0) {
        *line = realloc(*line, 120);
        *size = 120;
    }
    for (;;) {
        int next_one = next(stream);
        if (next_one < 0) break;
        char c = (char)next_one;
        if (n + 2 > *size) {
            *size = 2 * *size;
            *line = realloc(*line, *size);
        }
        (*line)[n++] = c;
        if (c == (char)delimiter) break;
    }
    if (n == 0) return -1;
    (*line)[n] = 0;
    return (ptrdiff_t)n;
}
ptrdiff_t __getdelim(char **line, size_t *size, int delimiter, void *stream) { return getdelim(line, size, delimiter, stream); }
ptrdiff_t getline(char **line, size_t *size, void *stream) { return getdelim(line, size, '\n', stream); }

/* ---- output to streams --------------------------------------------------------------------------------------- */

int fputc(int c, void *stream) { return __VERIFIER_nondet_bool() ? -1 : (unsigned char)c; }
int putc(int c, void *stream) { return fputc(c, stream); }
int _IO_putc(int c, void *stream) { return fputc(c, stream); }
int putchar(int c) { return fputc(c, 0); }
int fputc_unlocked(int c, void *stream) { return fputc(c, stream); }
int putc_unlocked(int c, void *stream) { return fputc(c, stream); }
int putchar_unlocked(int c) { return fputc(c, 0); }
