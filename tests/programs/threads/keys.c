// Thread-specific data: each thread has its own value of a key; the destructor gets a non-null value at thread end.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

pthread_key_t key;
int a_value = 1, b_value = 2, c_value = 3;

void finish(void *value)
{
    *(int *)value += 10;
}

void *user(void *arg)
{
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, arg) == 0);
    assert(pthread_getspecific(key) == arg);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    assert(pthread_key_create(&key, finish) == 0);
    pthread_setspecific(key, &c_value);
    pthread_create(&a, 0, user, &a_value);
    pthread_create(&b, 0, user, &b_value);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(pthread_getspecific(key) == &c_value);
    assert(a_value == 11 && b_value == 12 && c_value == 3);
    return 0;
}
