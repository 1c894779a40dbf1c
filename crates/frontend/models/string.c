/* string.h and strings.h, exactly, in the C locale. Where C leaves a result open (the size of a comparison's result), it is that
 * of glibc.
 *
 * All accesses to the caller's bytes are plain accesses of the calling thread, in the order of increasing addresses, and none is made that
 * C does not allow: reading beyond a terminated string, or outside of an object, shows up by itself.
 */

typedef __typeof__(sizeof(0)) size_t;

extern void *malloc(size_t);
extern void *memcpy(void *, const void *, size_t);
extern void *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t);

/* ---- blocks of memory ---------------------------------------------------------------------------------------- */

void *mempcpy(void *to, const void *from, size_t n) {
    memcpy(to, from, n);
    return (char *)to + n;
}
void *__mempcpy(void *to, const void *from, size_t n) { return mempcpy(to, from, n); }
void *memccpy(void *to, const void *from, int byte, size_t n) {
    unsigned char *t = to;
    const unsigned char *f = from;
    for (size_t i = 0; i < n; i++) {
        t[i] = f[i];
        if (t[i] == (unsigned char)byte) return t + i + 1;
    }
    return 0;
}
void bcopy(const void *from, void *to, size_t n) { memmove(to, from, n); }
void bzero(void *memory, size_t n) { memset(memory, 0, n); }
void explicit_bzero(void *memory, size_t n) { memset(memory, 0, n); }
void swab(const void *from, void *to, long n) {
    const char *f = from;
    char *t = to;
    for (long i = 0; i + 1 < n; i += 2) {
        char low = f[i];
        t[i] = f[i + 1];
        t[i + 1] = low;
    }
}

int memcmp(const void *left, const void *right, size_t n) {
    const unsigned char *l = left, *r = right;
    for (size_t i = 0; i < n; i++) {
        int difference = l[i] - r[i];
        if (difference) return difference;
    }
    return 0;
}
int bcmp(const void *left, const void *right, size_t n) { return memcmp(left, right, n); }
int __memcmpeq(const void *left, const void *right, size_t n) { return memcmp(left, right, n); }
void *memchr(const void *memory, int byte, size_t n) {
    const unsigned char *m = memory;
    for (size_t i = 0; i < n; i++)
        if (m[i] == (unsigned char)byte) return (void *)(m + i);
    return 0;
}
void *rawmemchr(const void *memory, int byte) {
    const unsigned char *m = memory;
    while (*m != (unsigned char)byte) m++;
    return (void *)m;
}
void *memrchr(const void *memory, int byte, size_t n) {
    const unsigned char *m = memory;
    while (n > 0)
        if (m[--n] == (unsigned char)byte) return (void *)(m + n);
    return 0;
}
void *memmem(const void *memory, size_t n, const void *part, size_t n_part) {
    const char *m = memory;
    for (; n >= n_part; m++, n--)
        if (memcmp(m, part, n_part) == 0) return (void *)m;
    return 0;
}

/* ---- lengths and copies -------------------------------------------------------------------------------------- */

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
char *__stpcpy(char *to, const char *from) { return stpcpy(to, from); }
char *strncpy(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; i < n; i++)
        if (!(to[i] = from[i])) break;
    for (; i < n; i++) to[i] = 0;
    return to;
}
char *stpncpy(char *to, const char *from, size_t n) {
    size_t i = 0;
    for (; i < n; i++)
        if (!(to[i] = from[i])) break;
    for (size_t k = i; k < n; k++) to[k] = 0;
    return to + i;
}
char *__stpncpy(char *to, const char *from, size_t n) { return stpncpy(to, from, n); }
char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}
char *strncat(char *to, const char *from, size_t n) {
    size_t at = strlen(to), i = 0;
    for (; i < n; i++)
        if (!(to[at + i] = from[i])) return to;
    to[at + i] = 0;
    return to;
}
size_t strlcpy(char *to, const char *from, size_t size) {
    size_t n = strlen(from);
    if (size > 0) {
        size_t kept = n < size ? n : size - 1;
        memcpy(to, from, kept);
        to[kept] = 0;
    }
    return n;
}
size_t strlcat(char *to, const char *from, size_t size) {
    size_t at = strnlen(to, size);
    if (at == size) return size + strlen(from);
    return at + strlcpy(to + at, from, size - at);
}
char *strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = malloc(n);
    if (!copy) return 0;
    return memcpy(copy, s, n);
}
char *__strdup(const char *s) { return strdup(s); }
char *strndup(const char *s, size_t max) {
    size_t n = strnlen(s, max);
    char *copy = malloc(n + 1);
    if (!copy) return 0;
    memcpy(copy, s, n);
    copy[n] = 0;
    return copy;
}
char *__strndup(const char *s, size_t max) { return strndup(s, max); }

/* ---- comparisons --------------------------------------------------------------------------------------------- */

int strcmp(const char *left, const char *right) {
    const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
    for (;; l++, r++) {
        int difference = *l - *r;
        if (difference || !*l) return difference;
    }
}
int strncmp(const char *left, const char *right, size_t n) {
    const unsigned char *l = (const unsigned char *)left, *r = (const unsigned char *)right;
    for (; n > 0; n--, l++, r++) {
        int difference = *l - *r;
        if (difference || !*l) return difference;
    }
    return 0;
}
int strcoll(const char *left, const char *right) { return strcmp(left, right); }
size_t strxfrm(char *to, const char *from, size_t n) {
    size_t length = strlen(from);
    if (n > 0) strncpy(to, from, n < length + 1 ? n : length + 1);
    return length;
}
static int lower(unsigned char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }
int strcasecmp(const char *left, const char *right) {
    for (;; left++, right++) {
        int l = lower(*left), r = lower(*right);
        if (l != r || !l) return l - r;
    }
}
int __strcasecmp(const char *left, const char *right) { return strcasecmp(left, right); }
int strncasecmp(const char *left, const char *right, size_t n) {
    for (; n > 0; n--, left++, right++) {
        int l = lower(*left), r = lower(*right);
        if (l != r || !l) return l - r;
    }
    return 0;
}
static int is_digit(char c) { return c >= '0' && c <= '9'; }
int strverscmp(const char *left, const char *right) {
    size_t i = 0, start = 0;
    int zeros = 1; /* whether the digits so far are zeros */
    for (; left[i] == right[i]; i++) {
        if (!left[i]) return 0;
        if (!is_digit(left[i])) { start = i + 1; zeros = 1; }
        else if (left[i] != '0') zeros = 0;
    }
    int difference = (unsigned char)left[i] - (unsigned char)right[i];
    if (left[start] >= '1' && left[start] <= '9' && right[start] >= '1' && right[start] <= '9') {
        size_t l = i, r = i; /* two integers: the longer one is greater */
        while (is_digit(left[l])) l++;
        while (is_digit(right[r])) r++;
        return l > r ? 1 : l < r ? -1 : difference;
    }
    if (zeros && start < i && (is_digit(left[i]) || is_digit(right[i])))
        return is_digit(left[i]) && is_digit(right[i]) ? difference : is_digit(left[i]) ? -1 : 1; /* more zeros come first */
    return difference;
}

/* ---- searches ------------------------------------------------------------------------------------------------ */

char *strchrnul(const char *s, int c) {
    while (*s && *s != (char)c) s++;
    return (char *)s;
}
char *strchr(const char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return (char *)s;
        if (!*s) return 0;
    }
}
char *index(const char *s, int c) { return strchr(s, c); }
char *strrchr(const char *s, int c) {
    const char *last = 0;
    for (;; s++) {
        if (*s == (char)c) last = s;
        if (!*s) return (char *)last;
    }
}
char *rindex(const char *s, int c) { return strrchr(s, c); }
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
char *strpbrk(const char *s, const char *accept) {
    s += strcspn(s, accept);
    return *s ? (char *)s : 0;
}
char *strstr(const char *s, const char *part) {
    size_t n = strlen(part);
    for (;; s++) {
        if (strncmp(s, part, n) == 0) return (char *)s;
        if (!*s) return 0;
    }
}
char *strcasestr(const char *s, const char *part) {
    size_t n = strlen(part);
    for (;; s++) {
        if (strncasecmp(s, part, n) == 0) return (char *)s;
        if (!*s) return 0;
    }
}

/* ---- words --------------------------------------------------------------------------------------------------- */

char *strtok_r(char *s, const char *delimiters, char **rest) {
    if (!s) s = *rest;
    s += strspn(s, delimiters);
    if (!*s) {
        *rest = s;
        return 0;
    }
    char *end = s + strcspn(s, delimiters);
    if (*end) *end++ = 0;
    *rest = end;
    return s;
}
char *__strtok_r(char *s, const char *delimiters, char **rest) { return strtok_r(s, delimiters, rest); }
static char *strtok_rest; /* accessed plainly: calls of strtok in two threads race */
char *strtok(char *s, const char *delimiters) { return strtok_r(s, delimiters, &strtok_rest); }
char *strsep(char **list, const char *delimiters) {
    char *start = *list;
    if (!start) return 0;
    char *end = start + strcspn(start, delimiters);
    if (*end) {
        *end = 0;
        *list = end + 1;
    } else {
        *list = 0;
    }
    return start;
}
char *__strsep(char **list, const char *delimiters) { return strsep(list, delimiters); }
char *basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return (char *)(slash ? slash + 1 : path);
}
char *__xpg_basename(char *path) {
    if (!path || !*path) return ".";
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') path[--n] = 0;
    if (n == 1 && *path == '/') return path;
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
char *dirname(char *path) {
    if (!path || !*path) return ".";
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    while (n > 0 && path[n - 1] != '/') n--;
    if (n == 0) return ".";
    while (n > 1 && path[n - 1] == '/') n--;
    if (n == 1 && path[1] == '/' && path[2] != '/') n = path[2] ? 1 : 2;
    path[n] = 0;
    return path;
}
char *strfry(char *s) {
    extern unsigned long __VERIFIER_nondet_ulong(void);
    extern void __VERIFIER_assume(int);
    size_t n = strlen(s);
    for (size_t i = 0; i + 1 < n; i++) {
        size_t k = __VERIFIER_nondet_ulong();
        __VERIFIER_assume(k >= i && k < n);
        char c = s[i];
        s[i] = s[k];
        s[k] = c;
    }
    return s;
}
void *memset_explicit(void *memory, int byte, size_t n) { return memset(memory, byte, n); }
char *strnstr(const char *s, const char *part, size_t max) {
    size_t n = strlen(part);
    for (; max >= n; s++, max--) {
        if (strncmp(s, part, n) == 0) return (char *)s;
        if (!*s) return 0;
    }
    return 0;
}
void *memfrob(void *memory, size_t n) {
    char *m = memory;
    for (size_t i = 0; i < n; i++) m[i] ^= 42;
    return memory;
}

/* ---- bits ---------------------------------------------------------------------------------------------------- */

int ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
int ffsl(long x) { return x ? __builtin_ctzl((unsigned long)x) + 1 : 0; }
int ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
