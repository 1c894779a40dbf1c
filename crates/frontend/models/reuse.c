/* An allocator that may hand out freed addresses again (`--reuse-addresses`), for blocks of equal size.
 *
 * A freed block keeps its bytes, so that a use after it was freed goes unnoticed, as on most machines: that is how
 * the bugs of "ABA" come about. Freeing it accesses all of it.
 */

typedef __typeof__(sizeof(0)) size_t;

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __threadproof_undefined(const char *);
extern void __threadproof_unsupported(const char *);
extern void *__threadproof_fresh(size_t);
extern void __threadproof_release(void *);
extern void *memcpy(void *, const void *, size_t);
extern void *memmove(void *, const void *, size_t);
extern void *memset(void *, int, size_t);

enum { N_BLOCKS = 16 };
static struct {
    char *start;
    size_t size;
    int is_free;
} block[N_BLOCKS];
static int n_blocks;

static void *take(size_t size) {
    for (int i = 0; i < n_blocks; i++)
        if (block[i].is_free && block[i].size == size && __VERIFIER_nondet_bool()) {
            block[i].is_free = 0;
            return block[i].start;
        }
    return 0;
}
static int find(void *start) {
    for (int i = 0; i < n_blocks; i++)
        if (block[i].start == start) return i;
    return -1;
}

void *malloc(size_t size) {
    void *result;
    __VERIFIER_atomic_begin();
    result = take(size);
    if (!result) {
        result = __threadproof_fresh(size);
        if (result && n_blocks < N_BLOCKS) {
            block[n_blocks].start = result;
            block[n_blocks].size = size;
            n_blocks++;
        }
    }
    __VERIFIER_atomic_end();
    return result;
}
void free(void *start) {
    int at;
    if (!start) return;
    __VERIFIER_atomic_begin();
    at = find(start);
    if (at < 0) {
        __threadproof_release(start);
    } else {
        if (block[at].is_free) __threadproof_undefined("double-free: of a block that is free already");
        memmove(start, start, block[at].size);
        block[at].is_free = 1;
    }
    __VERIFIER_atomic_end();
}
void *calloc(size_t count, size_t size) {
    void *result;
    if (size && count > (size_t)-1 / size) return 0;
    result = malloc(count * size);
    if (result) memset(result, 0, count * size);
    return result;
}
void *realloc(void *old, size_t size) {
    void *result;
    int at;
    size_t kept;
    if (!old) return malloc(size);
    if (!size) {
        free(old);
        return 0;
    }
    __VERIFIER_atomic_begin();
    at = find(old);
    if (at < 0) __threadproof_unsupported("`realloc` of something that is no block, or one of more than 16");
    kept = block[at].size;
    __VERIFIER_atomic_end();
    if (kept == size && __VERIFIER_nondet_bool()) return old;
    result = malloc(size);
    if (!result) return 0;
    memcpy(result, old, kept < size ? kept : size);
    free(old);
    return result;
}
