/* Spinlocks wait, too. */
// expect: no-deadlock false
#include <pthread.h>

pthread_spinlock_t p, q;

void *first(void *arg)
{
    (void)arg;
    pthread_spin_lock(&p);
    pthread_spin_lock(&q);
    pthread_spin_unlock(&q);
    pthread_spin_unlock(&p);
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    pthread_spin_lock(&q);
    pthread_spin_lock(&p);
    pthread_spin_unlock(&p);
    pthread_spin_unlock(&q);
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&p, 0);
    pthread_spin_init(&q, 0);
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
