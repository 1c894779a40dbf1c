// Each thread reads into its own part of a buffer, and writes it out again.
// expect: no-data-race true
// explore: unknown
#include <pthread.h>
#include <unistd.h>

char buffer[2][8];

void *fill(void *arg)
{
    char *mine = buffer[arg != NULL];
    if (read(0, mine, 8) == 8)
        return write(1, mine, 8) == 8 ? arg : NULL;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, fill, buffer);
    fill(NULL);
    pthread_join(thread, NULL);
    return 0;
}
