/* locale.h, fenv.h and byte orders: the locale stays C and rounding stays to nearest, which all other models rely on. */

extern void __threadproof_unsupported(const char *);
extern int strcmp(const char *, const char *);

/* A locale of the user's environment is C, too; others are not installed. */
char *setlocale(int category, const char *name) {
    if (category < 0 || category > 12) return 0;
    if (!name || !*name || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0) return "C";
    return 0;
}

int fegetround(void) { return 0; }
int fesetround(int mode) {
    if (mode) __threadproof_unsupported("rounding other than to nearest");
    return 0;
}

unsigned htonl(unsigned x) { return __builtin_bswap32(x); }
unsigned ntohl(unsigned x) { return __builtin_bswap32(x); }
unsigned short htons(unsigned short x) { return __builtin_bswap16(x); }
unsigned short ntohs(unsigned short x) { return __builtin_bswap16(x); }

/* All of the C locale's strings but the decimal point are empty, and all numbers are unknown. */
struct lconv {
    char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol, *mon_decimal_point, *mon_thousands_sep, *mon_grouping,
        *positive_sign, *negative_sign;
    char numbers[14];
};
static struct lconv conventions;
struct lconv *localeconv(void) {
    static char point[] = ".", none[] = "";
    char **strings = (char **)&conventions;
    strings[0] = point;
    for (int i = 1; i < 10; i++) strings[i] = none;
    for (int i = 0; i < 14; i++) conventions.numbers[i] = 127;
    return &conventions;
}
