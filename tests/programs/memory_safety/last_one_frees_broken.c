// Two threads share an object; the counter that decides who frees it is read after the lock was released.
// expect: valid-memsafety false
#include <pthread.h>
#include <stdlib.h>

struct shared {
    int users;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void release(struct shared *s)
{
    pthread_mutex_lock(&m);
    --s->users;
    pthread_mutex_unlock(&m);
    if (s->users == 0)
        free(s);
}

void *worker(void *arg)
{
    release(arg);
    return 0;
}

int main(void)
{
    pthread_t t;
    struct shared *s = malloc(sizeof *s);
    s->users = 2;
    pthread_create(&t, 0, worker, s);
    release(s);
    pthread_join(t, 0);
    return 0;
}
