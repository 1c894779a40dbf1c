// Bit-fields that follow each other are one memory location (C11, 3.14), although each of these has a byte of its own and compilers may write just that.
// expect: no-data-race false
#include <pthread.h>

static struct {
    char ordinary;
    unsigned char first : 8;
    unsigned char second : 8;
} flags;

static void *set_first(void *unused) {
    flags.first = 1;
    return unused;
}

static void *set_second(void *unused) {
    flags.second = 1;
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, set_first, 0);
    pthread_create(&b, 0, set_second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
