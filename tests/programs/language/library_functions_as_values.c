// Functions of the library are values like others: they can be called through pointers, kept in tables, and compared.
// native: yes
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct allocator {
    void *(*get)(size_t);
    void (*give)(void *);
    void *(*again)(void *, size_t);
    void *(*zeroed)(size_t, size_t);
};
static const struct allocator library = {malloc, free, realloc, calloc};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*lock)(pthread_mutex_t *) = pthread_mutex_lock;

static int apply(int (*function)(pthread_mutex_t *))
{
    return function(&mutex);
}

static size_t measure(size_t (*length)(const char *), const char *text)
{
    return length(text);
}

static void *same(void *(*copy)(void *, const void *, size_t), int *to, const int *from)
{
    return copy(to, from, sizeof *to);
}

int main(void)
{
    int *number = library.get(sizeof *number);
    *number = 5;
    number = library.again(number, 2 * sizeof *number);
    assert(number[0] == 5);
    library.give(number);
    number = library.zeroed(2, sizeof *number);
    assert(number[1] == 0);
    int seven = 7;
    assert(same(memcpy, number, &seven) == number && *number == 7);
    (*library.give)(number);

    assert(lock(&mutex) == 0);
    assert(apply(pthread_mutex_trylock) != 0);
    assert(apply(&pthread_mutex_unlock) == 0);
    assert(apply(pthread_mutex_trylock) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);

    assert(measure(strlen, "four") == 4);
    int (*compare)(const char *, const char *) = strcmp;
    assert(compare("a", "b") < 0 && compare == strcmp);
    void (*give)(void *) = library.give;
    assert(give == free && give != 0);
    int (*absolute)(int) = abs;
    assert(absolute(-3) == 3);
    return 0;
}
