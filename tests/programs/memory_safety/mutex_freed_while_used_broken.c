// A lock inside of an object is released by one thread after another one has freed the object.
// expect: valid-memsafety false
// expect: valid-deref false
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t m;
    int done;
};

struct shared *s;

void *worker(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&s->m);
    s->done = 1;
    pthread_mutex_unlock(&s->m);
    return 0;
}

int main(void)
{
    pthread_t t;
    int done;
    s = malloc(sizeof *s);
    pthread_mutex_init(&s->m, 0);
    s->done = 0;
    pthread_create(&t, 0, worker, 0);
    pthread_mutex_lock(&s->m);
    done = s->done;
    pthread_mutex_unlock(&s->m);
    if (!done)
        free(s);
    pthread_join(t, 0);
    if (done)
        free(s);
    return 0;
}
