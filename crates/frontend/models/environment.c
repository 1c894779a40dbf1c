/* The environment: every name has any value, or none, which stays until it is set. What was looked up or set so far is a list.
 *
 * A value is any string that Linux lets a program start with: shorter than 128 KiB. The list is the library's own and accessed under a lock of its
 * own, as in glibc; only the strings are the program's to read, and nothing of it
 * is the program's to free.
 */

typedef __typeof__(sizeof(0)) size_t;

extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int *__errno_location(void);
extern void *__threadproof_library_memory(size_t);
extern void *__threadproof_open_memory(size_t); /* the same, with any contents */
extern void *memcpy(void *, const void *, size_t);
extern size_t strlen(const char *);
extern int strcmp(const char *, const char *);
extern char *strchr(const char *, int);

enum { EINVAL_ = 22, MAX_VALUE = 131072 };

struct variable {
    struct variable *next;
    const char *name;
    char *value;
};
static struct variable *variables;
static int cleared;

static char *any_value(void) {
    if (cleared || !__VERIFIER_nondet_bool()) return 0;
    size_t size = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(size >= 1 && size <= MAX_VALUE);
    char *value = __threadproof_open_memory(size);
    value[size - 1] = 0;
    return value;
}

static char *copy(const char *s, size_t n) {
    char *to = __threadproof_library_memory(n + 1);
    memcpy(to, s, n);
    to[n] = 0;
    return to;
}

/* The variable of that name, if it was looked up or set before. */
static struct variable *find(const char *name) {
    struct variable *at = variables;
    while (at && strcmp(at->name, name) != 0) at = at->next;
    return at;
}
static void add(const char *own_name, char *value) {
    struct variable *variable = __threadproof_library_memory(sizeof *variable);
    variable->name = own_name;
    variable->value = value;
    variable->next = variables;
    variables = variable;
}

char *getenv(const char *name) {
    char *own, *value;
    struct variable *known;
    if (strchr(name, '=')) return 0;
    own = copy(name, strlen(name));
    __VERIFIER_atomic_begin();
    known = find(own);
    if (known) {
        value = known->value;
    } else {
        value = any_value();
        add(own, value);
    }
    __VERIFIER_atomic_end();
    return value;
}
char *secure_getenv(const char *name) { return __VERIFIER_nondet_bool() ? getenv(name) : 0; }

/* `own` is the library's copy of the name. */
static int set(char *own, char *value, int overwrite) {
    struct variable *known;
    __VERIFIER_atomic_begin();
    known = find(own);
    if (known) {
        if (overwrite || !known->value) known->value = value;
    } else {
        char *old = overwrite ? 0 : any_value();
        add(own, old ? old : value);
    }
    __VERIFIER_atomic_end();
    return 0;
}
static int is_bad(const char *name) { return !name || !*name || strchr(name, '='); }
int setenv(const char *name, const char *value, int overwrite) {
    if (is_bad(name)) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    return set(copy(name, strlen(name)), copy(value, strlen(value)), overwrite);
}
int unsetenv(const char *name) {
    if (is_bad(name)) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    return set(copy(name, strlen(name)), 0, 1);
}
int putenv(char *assignment) {
    char *equals = strchr(assignment, '=');
    if (!equals) return unsetenv(assignment);
    return set(copy(assignment, (size_t)(equals - assignment)), equals + 1, 1);
}
int clearenv(void) {
    __VERIFIER_atomic_begin();
    variables = 0;
    cleared = 1;
    __VERIFIER_atomic_end();
    return 0;
}
