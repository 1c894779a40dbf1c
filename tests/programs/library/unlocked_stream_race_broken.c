// A function that relies on its caller to hold the stream's lock, called by threads that never take it.
// expect: no-data-race false
#include <pthread.h>
#include <stdio.h>

void *writer(void *unused)
{
    putchar_unlocked('x');
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    putchar_unlocked('y');
    pthread_join(thread, 0);
    return 0;
}
