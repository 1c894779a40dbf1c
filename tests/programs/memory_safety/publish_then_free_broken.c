// A reader takes a shared pointer under the lock and uses it after the lock is released, when the writer may have freed it.
// expect: valid-memsafety false
// expect: valid-deref false
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int *current;

void *reader(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    int *mine = current;
    pthread_mutex_unlock(&m);
    int value = mine ? *mine : 0;
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
