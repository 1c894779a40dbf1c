// pthread_spin_trylock whose result is ignored.
// Broken: A has the lock and read count==0; B's trylock fails, it increments anyway; A stores 1.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t lock;
int count;

void *patient(void *arg)
{
    pthread_spin_lock(&lock);
    count++;
    pthread_spin_unlock(&lock);
    return 0;
}

void *hasty(void *arg)
{
    int failed = pthread_spin_trylock(&lock);
    count++;
    if (!failed)
        pthread_spin_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&lock, 0);
    pthread_create(&a, 0, patient, 0);
    pthread_create(&b, 0, hasty, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
