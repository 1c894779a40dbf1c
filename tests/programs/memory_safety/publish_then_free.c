// A reader uses a shared pointer under the lock; the writer unpublishes the object under the lock before it frees it.
// expect: valid-memsafety true
// expect: valid-memcleanup true
// expect: no-data-race true
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *current;

void *reader(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    int value = current ? *current : 0;
    pthread_mutex_unlock(&m);
    return (void *)(long)value;
}

int main(void)
{
    pthread_t t;
    current = malloc(sizeof *current);
    *current = 1;
    pthread_create(&t, 0, reader, 0);
    pthread_mutex_lock(&m);
    int *old = current;
    current = 0;
    pthread_mutex_unlock(&m);
    free(old);
    pthread_join(t, 0);
    return 0;
}
