/* Opening files: nothing is known of what files hold, or whether they are there. */

extern _Bool __VERIFIER_nondet_bool(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern int *__errno_location(void);
extern int __threadproof_looks_at_errno(void);
extern int __threadproof_new_descriptor(void);

static int fails(void) {
    int error = 5;
    if (__threadproof_looks_at_errno()) {
        error = __VERIFIER_nondet_int();
        __VERIFIER_assume(error > 0 && error < 4096);
    }
    *__errno_location() = error;
    return -1;
}
static int opens(const char *path) {
    while (*path) path++;
    return __VERIFIER_nondet_bool() ? fails() : __threadproof_new_descriptor();
}
int open(const char *path, int flags, ...) { return opens(path); }
int open64(const char *path, int flags, ...) { return opens(path); }
int creat(const char *path, unsigned mode) { return opens(path); }
int creat64(const char *path, unsigned mode) { return opens(path); }
int openat(int directory, const char *path, int flags, ...) { return opens(path); }
int openat64(int directory, const char *path, int flags, ...) { return opens(path); }
int socket(int domain, int type, int protocol) { return __VERIFIER_nondet_bool() ? fails() : __threadproof_new_descriptor(); }
int epoll_create1(int flags) { return __VERIFIER_nondet_bool() ? fails() : __threadproof_new_descriptor(); }
int epoll_create(int size) { return epoll_create1(0); }
