// The readers-writers lock of atomic_sections_safe.c whose readers count themselves in after the section.
// Broken: the reader sees writing==0; the writer takes the lock (readers is still 0); the reader counts itself
// in and reads x==0; the writer writes 3; the reader reads again.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int writing, readers, x;

void *writer(void *arg)
{
    int taken = 0;
    while (!taken) {
        __VERIFIER_atomic_begin();
        if (!writing && readers == 0) {
            writing = 1;
            taken = 1;
        }
        __VERIFIER_atomic_end();
    }
    x = 3;
    writing = 0;
    return 0;
}

void *reader(void *arg)
{
    int free = 0;
    while (!free) {
        __VERIFIER_atomic_begin();
        free = !writing;
        __VERIFIER_atomic_end();
    }
    readers++;
    int seen = x;
    assert(seen == x);
    readers--;
    return 0;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
