// A key's destructor does run when the thread ends by pthread_exit.
// The assertion claims that it does not: false on every execution.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int destroyed;

void finish(void *value)
{
    destroyed++;
}

void *user(void *arg)
{
    pthread_setspecific(key, arg);
    pthread_exit(0);
}

int main(void)
{
    pthread_t a;
    pthread_key_create(&key, finish);
    pthread_create(&a, 0, user, &destroyed);
    pthread_join(a, 0);
    assert(destroyed == 0);
    return 0;
}
