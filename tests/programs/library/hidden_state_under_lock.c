// rand and strerror share hidden state, but here only one thread at a time calls them.
// expect: no-data-race true
// explore: unknown
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    char *text = strerror(rand() % 3);
    (void)text;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    work(NULL);
    pthread_join(thread, NULL);
    return 0;
}
