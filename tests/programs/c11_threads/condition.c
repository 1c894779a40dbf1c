// C11 condition variable: wait in a while loop, signal under the lock.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <threads.h>

mtx_t mutex;
cnd_t changed;
int ready;

int sender(void *arg)
{
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&mutex);
    return 0;
}

int main(void)
{
    thrd_t a;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&changed);
    thrd_create(&a, sender, NULL);
    mtx_lock(&mutex);
    while (!ready)
        cnd_wait(&changed, &mutex);
    assert(ready == 1);
    mtx_unlock(&mutex);
    thrd_join(a, NULL);
    cnd_destroy(&changed);
    mtx_destroy(&mutex);
    return 0;
}
