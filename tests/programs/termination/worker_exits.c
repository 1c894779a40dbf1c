// Main spins for ever, but the other thread ends the program.
// expect: termination true
#include <pthread.h>
#include <stdlib.h>

void *worker(void *arg)
{
    if (arg == 0)
        exit(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    while (1)
        ;
    return 0;
}
