/* Numbers from wide strings, and restartable conversions of multibyte characters, in the C locale: characters are bytes of ASCII, and
 * a conversion state is always the initial one.
 */

typedef __typeof__(sizeof(0)) size_t;
typedef __typeof__(L'a') wchar_t;
typedef unsigned wint_t;

extern void __threadproof_unsupported(const char *);
extern double strtod(const char *, char **);
extern float strtof(const char *, char **);
extern long strtol(const char *, char **, int);
extern unsigned long strtoul(const char *, char **, int);
extern long long strtoll(const char *, char **, int);
extern unsigned long long strtoull(const char *, char **, int);

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* A number is made of ASCII: what comes behind the first other character does not matter. */
static size_t ascii_prefix(const wchar_t *s) {
    size_t n = 0;
    while (s[n] > 0 && s[n] < 128) n++;
    return n;
}
static void narrow(char *to, const wchar_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (char)from[i];
    to[n] = 0;
}

long wcstol(const wchar_t *s, wchar_t **end, int base) {
    size_t n = ascii_prefix(s);
    char text[n + 1], *behind = 0;
    narrow(text, s, n);
    long value = strtol(text, &behind, base);
    if (end && behind) *end = (wchar_t *)s + (behind - text);
    return value;
}
unsigned long wcstoul(const wchar_t *s, wchar_t **end, int base) {
    size_t n = ascii_prefix(s);
    char text[n + 1], *behind = 0;
    narrow(text, s, n);
    unsigned long value = strtoul(text, &behind, base);
    if (end && behind) *end = (wchar_t *)s + (behind - text);
    return value;
}
long long wcstoll(const wchar_t *s, wchar_t **end, int base) {
    size_t n = ascii_prefix(s);
    char text[n + 1], *behind = 0;
    narrow(text, s, n);
    long long value = strtoll(text, &behind, base);
    if (end && behind) *end = (wchar_t *)s + (behind - text);
    return value;
}
unsigned long long wcstoull(const wchar_t *s, wchar_t **end, int base) {
    size_t n = ascii_prefix(s);
    char text[n + 1], *behind = 0;
    narrow(text, s, n);
    unsigned long long value = strtoull(text, &behind, base);
    if (end && behind) *end = (wchar_t *)s + (behind - text);
    return value;
}
double wcstod(const wchar_t *s, wchar_t **end) {
    size_t n = ascii_prefix(s);
    char text[n + 1], *behind = 0;
    narrow(text, s, n);
    double value = strtod(text, &behind);
    if (end && behind) *end = (wchar_t *)s + (behind - text);
    return value;
}
float wcstof(const wchar_t *s, wchar_t **end) {
    size_t n = ascii_prefix(s);
    char text[n + 1], *behind = 0;
    narrow(text, s, n);
    float value = strtof(text, &behind);
    if (end && behind) *end = (wchar_t *)s + (behind - text);
    return value;
}
long long wcstoq(const wchar_t *s, wchar_t **end, int base) { return wcstoll(s, end, base); }
unsigned long long wcstouq(const wchar_t *s, wchar_t **end, int base) { return wcstoull(s, end, base); }
long long wcstoimax(const wchar_t *s, wchar_t **end, int base) { return wcstoll(s, end, base); }
unsigned long long wcstoumax(const wchar_t *s, wchar_t **end, int base) { return wcstoull(s, end, base); }
long __isoc23_wcstol(const wchar_t *s, wchar_t **end, int base) { return wcstol(s, end, base); }
unsigned long __isoc23_wcstoul(const wchar_t *s, wchar_t **end, int base) { return wcstoul(s, end, base); }
long long __isoc23_wcstoll(const wchar_t *s, wchar_t **end, int base) { return wcstoll(s, end, base); }
unsigned long long __isoc23_wcstoull(const wchar_t *s, wchar_t **end, int base) { return wcstoull(s, end, base); }

/* ---- multibyte characters --------------------------------------------------------------------------------------- */

static void ascii_only(int is) {
    if (!is) __threadproof_unsupported("a multibyte character outside of ASCII");
}

int mbsinit(const void *state) { return 1; }
size_t mbrtowc(wchar_t *to, const char *s, size_t n, void *state) {
    if (!s) return 0;
    if (n == 0) return (size_t)-2;
    ascii_only(*s >= 0);
    if (to) *to = *s;
    return *s != 0;
}
size_t mbrlen(const char *s, size_t n, void *state) { return mbrtowc(0, s, n, state); }
size_t mbrtoc32(unsigned *to, const char *s, size_t n, void *state) { return mbrtowc((wchar_t *)to, s, n, state); }
size_t mbrtoc16(unsigned short *to, const char *s, size_t n, void *state) {
    wchar_t c = 0;
    size_t result = mbrtowc(&c, s, n, state);
    if (to && s && n > 0) *to = (unsigned short)c;
    return result;
}
size_t wcrtomb(char *s, wchar_t c, void *state) {
    if (!s) return 1;
    ascii_only(c >= 0 && c < 128);
    *s = (char)c;
    return 1;
}
size_t c32rtomb(char *s, unsigned c, void *state) { return wcrtomb(s, (wchar_t)c, state); }
size_t c16rtomb(char *s, unsigned short c, void *state) { return wcrtomb(s, c, state); }

/* Converts at most `most` bytes to at most `n` characters. The source is set to where it stopped, null at its end. */
size_t mbsnrtowcs(wchar_t *to, const char **source, size_t most, size_t n, void *state) {
    const char *from = *source;
    size_t i = 0;
    for (; i < most && (!to || i < n); i++) {
        ascii_only(from[i] >= 0);
        if (to) to[i] = from[i];
        if (!from[i]) {
            if (to) *source = 0;
            return i;
        }
    }
    if (to) *source = from + i;
    return i;
}
size_t mbsrtowcs(wchar_t *to, const char **source, size_t n, void *state) { return mbsnrtowcs(to, source, ~(size_t)0, n, state); }
size_t wcsnrtombs(char *to, const wchar_t **source, size_t most, size_t n, void *state) {
    const wchar_t *from = *source;
    size_t i = 0;
    for (; i < most && (!to || i < n); i++) {
        ascii_only(from[i] >= 0 && from[i] < 128);
        if (to) to[i] = (char)from[i];
        if (!from[i]) {
            if (to) *source = 0;
            return i;
        }
    }
    if (to) *source = from + i;
    return i;
}
size_t wcsrtombs(char *to, const wchar_t **source, size_t n, void *state) { return wcsnrtombs(to, source, ~(size_t)0, n, state); }
