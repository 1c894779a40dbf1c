// A pointer that is hidden in a number, by exclusive or with a key and in two halves, still means its object: both threads write it.
// expect: no-data-race false
#include <pthread.h>
#include <stdint.h>

static int shared;
static const uintptr_t key = 0x5a5a;
static uint32_t low, high;

static void *through_number(void *unused) {
    uintptr_t hidden = (uintptr_t)high << 32 | low;
    *(int *)(hidden ^ key) = 1;
    return unused;
}

static void *by_name(void *unused) {
    shared = 2;
    return unused;
}

int main(void) {
    pthread_t a, b;
    uintptr_t hidden = (uintptr_t)&shared ^ key;
    low = (uint32_t)hidden;
    high = (uint32_t)(hidden >> 32);
    pthread_create(&a, 0, through_number, 0);
    pthread_create(&b, 0, by_name, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
