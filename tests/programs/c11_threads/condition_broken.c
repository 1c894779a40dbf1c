// C11 condition variable waited for without a test.
// Deadlocks: the sender signals before main waits.
// expect: no-deadlock false
// expect: unreach-call true
#include <threads.h>

mtx_t mutex;
cnd_t changed;

int sender(void *arg)
{
    cnd_broadcast(&changed);
    return 0;
}

int main(void)
{
    thrd_t a;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&a, sender, NULL);
    mtx_lock(&mutex);
    cnd_wait(&changed, &mutex);
    mtx_unlock(&mutex);
    thrd_join(a, NULL);
    return 0;
}
