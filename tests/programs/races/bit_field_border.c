// A bit-field of width 0, or an ordinary member, separates memory locations: writing one writes no other, although all are in one `int`.
// expect: no-data-race true
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

static struct {
    int first : 8;
    char : 0;
    int second : 8;
    char ordinary;
    int third : 8;
} flags;

static void *set_first(void *unused) {
    flags.first = 1;
    flags.ordinary = 3;
    return unused;
}

static void *set_others(void *unused) {
    flags.second = 2;
    flags.third = 4;
    return unused;
}

int main(void) {
    _Static_assert(sizeof flags == 4, "all members should be in one int");
    pthread_t a, b;
    pthread_create(&a, 0, set_first, 0);
    pthread_create(&b, 0, set_others, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(flags.first == 1 && flags.second == 2 && flags.ordinary == 3 && flags.third == 4);
    return 0;
}
