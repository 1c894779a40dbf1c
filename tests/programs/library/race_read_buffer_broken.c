// Two threads read into one buffer.
// expect: no-data-race false
#include <pthread.h>
#include <unistd.h>

char buffer[64];

void *fill(void *arg)
{
    if (read(0, buffer, sizeof buffer) < 0)
        return arg;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    fill(NULL);
    pthread_join(thread, NULL);
    return 0;
}
