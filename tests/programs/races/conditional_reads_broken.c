// The operand that '&&' does evaluate is read: that is a race.
// expect: no-data-race false
#include <pthread.h>

void *writer(void *local)
{
    *(int *)local = 1;
    return 0;
}

int main(void)
{
    int always = 1, local = 0;
    pthread_t thread;
    pthread_create(&thread, 0, writer, &local);
    int x = always && local;
    pthread_join(thread, 0);
    return x;
}
