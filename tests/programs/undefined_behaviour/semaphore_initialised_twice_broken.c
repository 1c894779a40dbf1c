// Initialising a semaphore that is initialised already is undefined (POSIX, sem_init).
// expect: undefined-behaviour false

#include <semaphore.h>

static sem_t semaphore;

int main(void) {
    sem_init(&semaphore, 0, 1);
    sem_wait(&semaphore);
    sem_init(&semaphore, 0, 1);
    return 0;
}
