// Destructors run for a thread whose start routine is a value of the program.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int destroyed;

void destructor(void *value)
{
    destroyed += *(int *)value;
}

void *with_value(void *arg)
{
    pthread_setspecific(key, arg);
    return arg;
}
void *without(void *arg)
{
    return 0;
}

void *(*routines[2])(void *) = {with_value, without};

int main(void)
{
    pthread_t a;
    int three = 3;
    void *result;
    pthread_key_create(&key, destructor);
    for (int i = 0; i < 2; i++) {
        pthread_create(&a, 0, routines[i], &three);
        pthread_join(a, &result);
        assert(result == (i ? 0 : &three));
    }
    assert(destroyed == 3);
    return 0;
}
