// A semaphore is used after it was destroyed.
// expect: undefined-behaviour false
#include <semaphore.h>

int main(void)
{
    sem_t s;
    sem_init(&s, 0, 1);
    sem_destroy(&s);
    sem_wait(&s);
    return 0;
}
