// A handler that is installed without SA_RESTART interrupts the wait for a semaphore.
// expect: unreach-call false
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

sem_t semaphore;
volatile sig_atomic_t handled;

void handler(int signal)
{
    handled = 1;
}
void *worker(void *arg)
{
    sem_post(&semaphore);
    return 0;
}

int main(void)
{
    struct sigaction act = {0};
    pthread_t a;
    act.sa_handler = handler;
    sem_init(&semaphore, 0, 0);
    sigaction(SIGUSR1, &act, 0);
    pthread_create(&a, 0, worker, 0);
    assert(sem_wait(&semaphore) == 0);
    return 0;
}
