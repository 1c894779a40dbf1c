/* Models of library functions that can be said in C. Functions the program defines itself win over these.
 *
 * They are parsed with every program, but only what is called is lowered. Pointers to opaque types are `void *`
 * or pointers to their words: see src/lower/sync.rs for the layout. No header is included.
 */

typedef __typeof__(sizeof(0)) size_t;

extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern long __VERIFIER_nondet_long(void);
extern void *malloc(size_t);
extern void free(void *);
extern void *memcpy(void *, const void *, size_t);

/* ---- errno and standard streams ------------------------------------------------------------------------------ */

static _Thread_local int errno_value;
int *__errno_location(void) { return &errno_value; }

static char streams[3];
void *stdin = &streams[0];
void *stdout = &streams[1];
void *stderr = &streams[2];

/* ---- time: any ----------------------------------------------------------------------------------------------- */

long time(long *result) {
    long now = __VERIFIER_nondet_long();
    if (result) *result = now;
    return now;
}
static int any_time(long *seconds_and_fraction, long limit) {
    long fraction = __VERIFIER_nondet_long();
    __VERIFIER_assume(fraction >= 0 && fraction < limit);
    seconds_and_fraction[0] = __VERIFIER_nondet_long();
    seconds_and_fraction[1] = fraction;
    return 0;
}
int clock_gettime(int clock, long *result) { return any_time(result, 1000000000); }
int gettimeofday(long *result, void *zone) { return any_time(result, 1000000); }
int timespec_get(long *result, int base) { any_time(result, 1000000000); return base; }

/* ---- memory and strings -------------------------------------------------------------------------------------- */

int posix_memalign(void **result, size_t alignment, size_t size) { *result = malloc(size); return 0; }
void *reallocarray(void *old, size_t count, size_t size) {
    extern void *realloc(void *, size_t);
    return realloc(old, count * size);
}

int memcmp(const void *left, const void *right, size_t n) {
    const unsigned char *l = left, *r = right;
    for (size_t i = 0; i < n; i++)
        if (l[i] != r[i]) return l[i] < r[i] ? -1 : 1;
    return 0;
}
void *memchr(const void *memory, int byte, size_t n) {
    const unsigned char *m = memory;
    for (size_t i = 0; i < n; i++)
        if (m[i] == (unsigned char)byte) return (void *)(m + i);
    return 0;
}
void bzero(void *memory, size_t n) {
    unsigned char *m = memory;
    for (size_t i = 0; i < n; i++) m[i] = 0;
}

size_t strlen(const char *s) {
    size_t n = 0;
    while (s[n]) n++;
    return n;
}
size_t strnlen(const char *s, size_t max) {
    size_t n = 0;
    while (n < max && s[n]) n++;
    return n;
}
char *strcpy(char *to, const char *from) {
    size_t i = 0;
    while ((to[i] = from[i])) i++;
    return to;
}
char *stpcpy(char *to, const char *from) {
    while ((*to = *from)) { to++; from++; }
    return to;
}
char *strncpy(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; i < n && from[i]; i++) to[i] = from[i];
    for (; i < n; i++) to[i] = 0;
    return to;
}
char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}
char *strncat(char *to, const char *from, size_t n) {
    size_t at = strlen(to), i = 0;
    for (; i < n && from[i]; i++) to[at + i] = from[i];
    to[at + i] = 0;
    return to;
}
int strcmp(const char *left, const char *right) {
    const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
    while (*l && *l == *r) { l++; r++; }
    return *l < *r ? -1 : *l > *r;
}
int strncmp(const char *left, const char *right, size_t n) {
    const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
    for (; n > 0; n--, l++, r++) {
        if (*l != *r) return *l < *r ? -1 : 1;
        if (!*l) return 0;
    }
    return 0;
}
char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return 0;
    }
}
char *strrchr(const char *s, int c) {
    const char *last = 0;
    for (;; s++) {
        if (*s == (char)c) last = s;
        if (!*s) return (char *)last;
    }
}
char *strstr(const char *s, const char *part) {
    size_t n = strlen(part);
    for (;; s++) {
        if (strncmp(s, part, n) == 0) return (char *)s;
        if (!*s) return 0;
    }
}
size_t strspn(const char *s, const char *accept) {
    size_t n = 0;
    while (s[n] && strchr(accept, s[n])) n++;
    return n;
}
size_t strcspn(const char *s, const char *reject) {
    size_t n = 0;
    while (s[n] && !strchr(reject, s[n])) n++;
    return n;
}
char *strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    memcpy(copy, s, n);
    return copy;
}

/* ---- numbers and characters ---------------------------------------------------------------------------------- */

int abs(int x) { return x < 0 ? -x : x; }
long labs(long x) { return x < 0 ? -x : x; }
long long llabs(long long x) { return x < 0 ? -x : x; }
int rand(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    return x;
}
int rand_r(unsigned *seed) { return rand(); }
long random(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0);
    return x;
}
int atoi(const char *s) {
    int value = 0, negative = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r')) s++;
    if (*s == '-' || *s == '+') negative = *s++ == '-';
    while (*s >= '0' && *s <= '9') value = value * 10 + (*s++ - '0');
    return negative ? -value : value;
}
int isdigit(int c) { return c >= '0' && c <= '9'; }
int islower(int c) { return c >= 'a' && c <= 'z'; }
int isupper(int c) { return c >= 'A' && c <= 'Z'; }
int isalpha(int c) { return islower(c) || isupper(c); }
int isalnum(int c) { return isalpha(c) || isdigit(c); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int tolower(int c) { return isupper(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return islower(c) ? c - ('a' - 'A') : c; }
