// A readers-writers lock built from atomic sections: writers need w==0 and r==0, readers need w==0.
// Safe: taking and giving back are indivisible, so a reader never overlaps the writer.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int writing, readers, x;

int try_write(void)
{
    int taken = 0;
    __VERIFIER_atomic_begin();
    if (!writing && readers == 0) {
        writing = 1;
        taken = 1;
    }
    __VERIFIER_atomic_end();
    return taken;
}

int try_read(void)
{
    int taken = 0;
    __VERIFIER_atomic_begin();
    if (!writing) {
        readers++;
        taken = 1;
    }
    __VERIFIER_atomic_end();
    return taken;
}

void *writer(void *arg)
{
    while (!try_write())
        ;
    x = 3;
    writing = 0;
    return 0;
}

void *reader(void *arg)
{
    while (!try_read())
        ;
    int seen = x;
    assert(seen == x);
    __VERIFIER_atomic_begin();
    readers--;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t w, r1, r2;
    pthread_create(&w, 0, writer, 0);
    pthread_create(&r1, 0, reader, 0);
    pthread_create(&r2, 0, reader, 0);
    pthread_join(w, 0);
    pthread_join(r1, 0);
    pthread_join(r2, 0);
    return 0;
}
