// localtime keeps its result in an object that all threads share: POSIX does not promise that it is thread-safe.
// expect: no-data-race false
#include <pthread.h>
#include <time.h>

void *year(void *arg)
{
    time_t now = 0;
    struct tm *broken = localtime(&now);
    return broken ? arg : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, year, NULL);
    year(NULL);
    pthread_join(thread, NULL);
    return 0;
}
