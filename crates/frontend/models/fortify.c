/* What the compiler and the headers call under _FORTIFY_SOURCE: a function with one more argument, the size of the destination. Where it
 * does not suffice the program is aborted.
 */

typedef __typeof__(sizeof(0)) size_t;
typedef __typeof__((char *)0 - (char *)0) ssize_t;
typedef __builtin_va_list va_list;

extern void abort(void);
extern void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t), *memset(void *, int, size_t);
extern size_t strlen(const char *), strnlen(const char *, size_t), strlcpy(char *, const char *, size_t), strlcat(char *, const char *, size_t);
extern char *strcpy(char *, const char *), *stpcpy(char *, const char *), *strncpy(char *, const char *, size_t),
    *stpncpy(char *, const char *, size_t), *strcat(char *, const char *), *strncat(char *, const char *, size_t);
extern int vsnprintf(char *, size_t, const char *, va_list), vsprintf(char *, const char *, va_list), vasprintf(char **, const char *, va_list);
extern char *fgets(char *, int, void *);
extern size_t fread(void *, size_t, size_t, void *);
extern long strtol(const char *, char **, int);

void __chk_fail(void) { abort(); }
void __fortify_fail(const char *message) { abort(); }
void __stack_chk_fail(void) { abort(); }

static void check(size_t needed, size_t size) {
    if (needed > size) __chk_fail();
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t size) { check(n, size); return memcpy(to, from, n); }
void *__memmove_chk(void *to, const void *from, size_t n, size_t size) { check(n, size); return memmove(to, from, n); }
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t size) { check(n, size); return (char *)memcpy(to, from, n) + n; }
void *__memset_chk(void *to, int byte, size_t n, size_t size) { check(n, size); return memset(to, byte, n); }
void __explicit_bzero_chk(void *to, size_t n, size_t size) { check(n, size); memset(to, 0, n); }
/* The checks of strings read the source before the destination is written, if there is something to check. */
char *__strcpy_chk(char *to, const char *from, size_t size) {
    if (size != ~(size_t)0) check(strlen(from) + 1, size);
    return strcpy(to, from);
}
char *__stpcpy_chk(char *to, const char *from, size_t size) {
    if (size != ~(size_t)0) check(strlen(from) + 1, size);
    return stpcpy(to, from);
}
char *__strncpy_chk(char *to, const char *from, size_t n, size_t size) { check(n, size); return strncpy(to, from, n); }
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t size) { check(n, size); return stpncpy(to, from, n); }
char *__strcat_chk(char *to, const char *from, size_t size) {
    if (size != ~(size_t)0) check(strlen(to) + strlen(from) + 1, size);
    return strcat(to, from);
}
char *__strncat_chk(char *to, const char *from, size_t n, size_t size) {
    if (size != ~(size_t)0) check(strlen(to) + strnlen(from, n) + 1, size);
    return strncat(to, from, n);
}
size_t __strlcpy_chk(char *to, const char *from, size_t n, size_t size) { check(n, size); return strlcpy(to, from, n); }
size_t __strlcat_chk(char *to, const char *from, size_t n, size_t size) { check(n, size); return strlcat(to, from, n); }

int __vsnprintf_chk(char *out, size_t n, int flag, size_t size, const char *format, va_list args) {
    check(n, size);
    return vsnprintf(out, n, format, args);
}
int __snprintf_chk(char *out, size_t n, int flag, size_t size, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    check(n, size);
    return vsnprintf(out, n, format, args);
}
int __vsprintf_chk(char *out, int flag, size_t size, const char *format, va_list args) {
    if (size == ~(size_t)0) return vsprintf(out, format, args);
    int n = vsnprintf(out, size, format, args);
    check((size_t)n + 1, size);
    return n;
}
int __sprintf_chk(char *out, int flag, size_t size, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return __vsprintf_chk(out, flag, size, format, args);
}
int __vasprintf_chk(char **result, int flag, const char *format, va_list args) { return vasprintf(result, format, args); }
int __asprintf_chk(char **result, int flag, const char *format, ...) {
    va_list args;
    __builtin_va_start(args, format);
    return vasprintf(result, format, args);
}
char *__fgets_chk(char *s, size_t size, int n, void *stream) {
    if (n > 0) check((size_t)n, size);
    return fgets(s, n, stream);
}
size_t __fread_chk(void *memory, size_t available, size_t size, size_t count, void *stream) {
    check(size * count, available);
    return fread(memory, size, count, stream);
}
