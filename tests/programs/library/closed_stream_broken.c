// A thread writes to a stream that another one may have closed.
// expect: undefined-behaviour false
#include <pthread.h>
#include <stdio.h>

FILE *stream;

void *writer(void *unused)
{
    fprintf(stream, "x");
    return 0;
}

int main(void)
{
    pthread_t thread;
    stream = fopen("file", "w");
    if (!stream)
        return 1;
    pthread_create(&thread, 0, writer, 0);
    fclose(stream);
    pthread_join(thread, 0);
    return 0;
}
