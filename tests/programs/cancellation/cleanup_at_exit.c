// pthread_exit runs the cleanup handlers, the youngest first, and then the destructors of thread-specific data.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>

pthread_key_t key;
int log_of[4], n;

void note(int what)
{
    log_of[n++] = what;
}
void handler(void *arg)
{
    note(*(int *)arg);
}
void destructor(void *value)
{
    note(*(int *)value);
}

void leave(void)
{
    pthread_exit((void *)7);
}

void *worker(void *arg)
{
    static int nine = 9;
    int one = 1, two = 2;
    pthread_setspecific(key, &nine);
    pthread_cleanup_push(handler, &one);
    pthread_cleanup_push(handler, &two);
    leave();
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return 0;
}

int main(void)
{
    pthread_t a;
    void *result;
    pthread_key_create(&key, destructor);
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, &result);
    assert(result == (void *)7);
    assert(n == 3 && log_of[0] == 2 && log_of[1] == 1 && log_of[2] == 9);
    return 0;
}
