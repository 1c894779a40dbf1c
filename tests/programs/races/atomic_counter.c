/* All accesses to the counter are atomic, by syntax and by function. */
// expect: no-data-race true
#include <pthread.h>
#include <stdatomic.h>

atomic_int counter;

void *first(void *arg)
{
    (void)arg;
    counter++;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    atomic_fetch_add(&counter, 2);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter;
}
