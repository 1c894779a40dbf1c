/* GCC builtins on both sides. */
// expect: no-data-race true
#include <pthread.h>

int counter;

void *first(void *arg)
{
    (void)arg;
    __sync_fetch_and_add(&counter, 1);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    __atomic_store_n(&counter, 7, __ATOMIC_RELEASE);
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
