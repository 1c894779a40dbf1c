// A try-lock that fails says nothing about what its owner did before: C11 lets it fail for no reason, and taking a lock is an acquire operation
// that pushes out no earlier store.
// expect: unreach-call true
// expect(pso): unreach-call false
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *owner(void *arg) {
    x = 42;
    pthread_mutex_lock(&m);
    return 0;
}

void *other(void *arg) {
    if (pthread_mutex_trylock(&m))
        assert(x == 42);
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, owner, 0);
    pthread_create(&t, 0, other, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
}
