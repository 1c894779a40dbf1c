/* wchar.h and wctype.h in the C locale: strings of wide characters, and classes of ASCII. Multibyte characters are bytes. */

typedef __typeof__(sizeof(0)) size_t;
typedef __typeof__(L'a') wchar_t;
typedef unsigned wint_t;

extern void *malloc(size_t);
extern void *memcpy(void *, const void *, size_t);
extern void *memmove(void *, const void *, size_t);
extern int isalnum(int), isalpha(int), isblank(int), iscntrl(int), isdigit(int), isgraph(int), islower(int), isprint(int), ispunct(int),
    isspace(int), isupper(int), isxdigit(int), tolower(int), toupper(int);
extern void __threadproof_unsupported(const char *);

size_t wcslen(const wchar_t *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}
size_t wcsnlen(const wchar_t *s, size_t max) {
    size_t n = 0;
    while (n < max && s[n]) n++;
    return n;
}
wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    return to;
}
wchar_t *wcpcpy(wchar_t *to, const wchar_t *from) {
    while ((*to = *from)) { to++; from++; }
    return to;
}
wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n) {
    size_t i = 0;
    for (; i < n; i++)
        if (!(to[i] = from[i])) break;
    for (; i < n; i++) to[i] = 0;
    return to;
}
wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
    wcscpy(to + wcslen(to), from);
    return to;
}
wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n) {
    size_t at = wcslen(to), i = 0;
    for (; i < n; i++)
        if (!(to[at + i] = from[i])) return to;
    to[at + i] = 0;
    return to;
}
int wcscmp(const wchar_t *left, const wchar_t *right) {
    for (; *left == *right; left++, right++)
        if (!*left) return 0;
    return *left < *right ? -1 : 1;
}
int wcscoll(const wchar_t *left, const wchar_t *right) { return wcscmp(left, right); }
int wcsncmp(const wchar_t *left, const wchar_t *right, size_t n) {
    for (; n > 0; n--, left++, right++) {
        if (*left != *right) return *left < *right ? -1 : 1;
        if (!*left) return 0;
    }
    return 0;
}
wchar_t *wcschr(const wchar_t *s, wchar_t c) {
    for (;; s++) {
        if (*s == c) return (wchar_t *)s;
        if (!*s) return 0;
    }
}
wchar_t *wcschrnul(const wchar_t *s, wchar_t c) {
    while (*s && *s != c) s++;
    return (wchar_t *)s;
}
wchar_t *wcsrchr(const wchar_t *s, wchar_t c) {
    const wchar_t *last = 0;
    for (;; s++) {
        if (*s == c) last = s;
        if (!*s) return (wchar_t *)last;
    }
}
size_t wcsspn(const wchar_t *s, const wchar_t *accept) {
    size_t n = 0;
    while (s[n] && wcschr(accept, s[n])) n++;
    return n;
}
size_t wcscspn(const wchar_t *s, const wchar_t *reject) {
    size_t n = 0;
    while (s[n] && !wcschr(reject, s[n])) n++;
    return n;
}
wchar_t *wcspbrk(const wchar_t *s, const wchar_t *accept) {
    s += wcscspn(s, accept);
    return *s ? (wchar_t *)s : 0;
}
wchar_t *wcsstr(const wchar_t *s, const wchar_t *part) {
    size_t n = wcslen(part);
    for (;; s++) {
        if (wcsncmp(s, part, n) == 0) return (wchar_t *)s;
        if (!*s) return 0;
    }
}
wchar_t *wcstok(wchar_t *s, const wchar_t *delimiters, wchar_t **rest) {
    if (!s) {
        if (!*rest) return 0;
        s = *rest;
    }
    s += wcsspn(s, delimiters);
    if (!*s) {
        *rest = 0;
        return 0;
    }
    wchar_t *end = wcspbrk(s, delimiters);
    if (end) *end++ = 0;
    *rest = end;
    return s;
}
wchar_t *wcsdup(const wchar_t *s) {
    size_t size = (wcslen(s) + 1) * sizeof(wchar_t);
    wchar_t *copy = malloc(size);
    return copy ? memcpy(copy, s, size) : 0;
}
wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n) { return memcpy(to, from, n * sizeof(wchar_t)); }
wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t n) { return wmemcpy(to, from, n) + n; }
wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n) { return memmove(to, from, n * sizeof(wchar_t)); }
wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = c;
    return to;
}
int wmemcmp(const wchar_t *left, const wchar_t *right, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}
wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (s[i] == c) return (wchar_t *)(s + i);
    return 0;
}

wchar_t *wcpncpy(wchar_t *to, const wchar_t *from, size_t n) {
    size_t i = 0;
    for (; i < n; i++)
        if (!(to[i] = from[i])) break;
    for (size_t k = i; k < n; k++) to[k] = 0;
    return to + i;
}
static unsigned lower(wchar_t c) { return (unsigned)(c >= L'A' && c <= L'Z' ? c + (L'a' - L'A') : c); }
int wcsncasecmp(const wchar_t *left, const wchar_t *right, size_t n) {
    for (; n > 0; n--, left++, right++) {
        unsigned l = lower(*left), r = lower(*right);
        if (l != r) return l < r ? -1 : 1;
        if (!l) return 0;
    }
    return 0;
}
int wcscasecmp(const wchar_t *left, const wchar_t *right) { return wcsncasecmp(left, right, ~(size_t)0); }
size_t __ctype_get_mb_cur_max(void) { return 1; }

/* Classes: glibc's C locale has none outside of ASCII. */
static int is_ascii(wint_t c) { return c < 128; }
int iswalnum(wint_t c) { return is_ascii(c) && isalnum((int)c); }
int iswalpha(wint_t c) { return is_ascii(c) && isalpha((int)c); }
int iswblank(wint_t c) { return is_ascii(c) && isblank((int)c); }
int iswcntrl(wint_t c) { return is_ascii(c) && iscntrl((int)c); }
int iswdigit(wint_t c) { return is_ascii(c) && isdigit((int)c); }
int iswgraph(wint_t c) { return is_ascii(c) && isgraph((int)c); }
int iswlower(wint_t c) { return is_ascii(c) && islower((int)c); }
int iswprint(wint_t c) { return is_ascii(c) && isprint((int)c); }
int iswpunct(wint_t c) { return is_ascii(c) && ispunct((int)c); }
int iswspace(wint_t c) { return is_ascii(c) && isspace((int)c); }
int iswupper(wint_t c) { return is_ascii(c) && isupper((int)c); }
int iswxdigit(wint_t c) { return is_ascii(c) && isxdigit((int)c); }
wint_t towlower(wint_t c) { return is_ascii(c) ? (wint_t)tolower((int)c) : c; }
wint_t towupper(wint_t c) { return is_ascii(c) ? (wint_t)toupper((int)c) : c; }

/* Multibyte characters: ASCII only. */
static void ascii_only(int is) {
    if (!is) __threadproof_unsupported("a multibyte character outside of ASCII");
}
int mblen(const char *s, size_t n) {
    if (!s) return 0;
    if (n == 0) return -1;
    ascii_only(*s >= 0);
    return *s != 0;
}
int mbtowc(wchar_t *to, const char *s, size_t n) {
    if (!s) return 0;
    if (n == 0) return -1;
    ascii_only(*s >= 0);
    if (to) *to = *s;
    return *s != 0;
}
int wctomb(char *s, wchar_t c) {
    if (!s) return 0;
    ascii_only(c >= 0 && c < 128);
    *s = (char)c;
    return 1;
}
size_t mbstowcs(wchar_t *to, const char *from, size_t n) {
    size_t i = 0;
    for (; !to || i < n; i++) {
        ascii_only(from[i] >= 0);
        if (to) to[i] = from[i];
        if (!from[i]) break;
    }
    return i;
}
size_t wcstombs(char *to, const wchar_t *from, size_t n) {
    size_t i = 0;
    for (; !to || i < n; i++) {
        ascii_only(from[i] >= 0 && from[i] < 128);
        if (to) to[i] = (char)from[i];
        if (!from[i]) break;
    }
    return i;
}
wint_t btowc(int c) { return c >= 0 && c < 128 ? (wint_t)c : (ascii_only(c == -1), 0xffffffffu); }
int wctob(wint_t c) { return c < 128 ? (int)c : (ascii_only(c == 0xffffffffu), -1); }
