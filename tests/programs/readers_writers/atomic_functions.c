// The readers-writers lock with __VERIFIER_atomic_ functions that wait by an assumption (the competition's idiom).
// Safe: the body of such a function is indivisible; where its assumption fails, the execution is not considered.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_assume(int);

int writing, readers, x, y;

void __VERIFIER_atomic_take_write(void)
{
    __VERIFIER_assume(!writing && readers == 0);
    writing = 1;
}

void __VERIFIER_atomic_take_read(void)
{
    __VERIFIER_assume(!writing);
    readers = readers + 1;
}

void __VERIFIER_atomic_give_read(void)
{
    readers = readers - 1;
}

void *writer(void *arg)
{
    __VERIFIER_atomic_take_write();
    x = 3;
    writing = 0;
    return 0;
}

void *reader(void *arg)
{
    __VERIFIER_atomic_take_read();
    y = x;
    assert(y == x);
    __VERIFIER_atomic_give_read();
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
