// A stream's lock excludes others who take it, and can be taken twice.
// expect: no-data-race true
// expect: no-deadlock true
#include <pthread.h>
#include <stdio.h>

static int lines;

static void *writer(void *unused)
{
    flockfile(stdout);
    flockfile(stdout);
    lines++;
    funlockfile(stdout);
    funlockfile(stdout);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, 0, writer, 0);
    pthread_create(&second, 0, writer, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return 0;
}
