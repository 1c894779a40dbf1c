// pthread_spinlock protecting a counter.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_spinlock_t lock;
int count;

void *visit(void *arg)
{
    pthread_spin_lock(&lock);
    count++;
    pthread_spin_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, 0, visit, 0);
    pthread_create(&b, 0, visit, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
