// Giving a lock back is a store, not a fence: a load behind it may be answered before the store is seen.
// expect: unreach-call true
// expect(tso,pso): unreach-call false
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t l;
int x, y, r0, r1;

void *a(void *arg) {
    pthread_spin_lock(&l);
    x = 1;
    pthread_spin_unlock(&l);
    r0 = y;
    return 0;
}

void *b(void *arg) {
    y = 1;
    __sync_synchronize();
    r1 = x;
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_spin_init(&l, 0);
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(r0 || r1);
}
