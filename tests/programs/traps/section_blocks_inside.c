// A lock that is taken blocks second in the middle of its atomic section: then nobody runs, so nobody sees the half of it.
// Guards that a section whose next action is blocked is not left open for others.
// Safe: if second enters its section while first holds the mutex, the execution ends there; otherwise x is 0 at its end.
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *first(void *arg)
{
    pthread_mutex_lock(&m);
    assert(x == 0);
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *arg)
{
    __VERIFIER_atomic_begin();
    x = 1;
    pthread_mutex_lock(&m);
    x = 0;
    pthread_mutex_unlock(&m);
    __VERIFIER_atomic_end();
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
