// A pointer that is put together byte by byte means the object whose address was taken apart: both threads write it.
// expect: no-data-race false
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static int shared;
static unsigned char bytes[sizeof(uintptr_t)];

static void *through_bytes(void *unused) {
    uintptr_t number = 0;
    for (int i = sizeof bytes - 1; i >= 0; i--)
        number = number << 8 | bytes[i];
    *(int *)number = 1;
    return unused;
}

static void *by_name(void *unused) {
    shared = 2;
    return unused;
}

int main(void) {
    pthread_t a, b;
    uintptr_t number = (uintptr_t)&shared;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
    pthread_create(&a, 0, through_bytes, 0);
    pthread_create(&b, 0, by_name, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(shared == 1 || shared == 2);
    return 0;
}
