// Two threads share an object; a counter under a lock decides who frees it.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// expect: no-data-race true
#include <pthread.h>
#include <stdlib.h>

struct shared {
    int users;
    int value;
};

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void release(struct shared *s)
{
    int last;
    pthread_mutex_lock(&m);
    s->value++;
    last = --s->users == 0;
    pthread_mutex_unlock(&m);
    if (last)
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
    s->value = 0;
    pthread_create(&t, 0, worker, s);
    release(s);
    pthread_join(t, 0);
    return 0;
}
