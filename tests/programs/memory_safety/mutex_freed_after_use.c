// A lock inside of an object is freed with the object after all threads have ended.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// expect: no-data-race true
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t m;
    int n;
};

struct shared *s;

void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&s->m);
    s->n++;
    pthread_mutex_unlock(&s->m);
    return 0;
}

int main(void)
{
    pthread_t t;
    s = malloc(sizeof *s);
    pthread_mutex_init(&s->m, 0);
    s->n = 0;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    pthread_mutex_destroy(&s->m);
    free(s);
    return 0;
}
