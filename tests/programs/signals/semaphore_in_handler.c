// A handler may post a semaphore; the wait may also be interrupted, and is then repeated.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

sem_t rang;
volatile sig_atomic_t posted;

void handler(int signal)
{
    if (!posted) {
        posted = 1;
        sem_post(&rang);
    }
}

int main(void)
{
    struct sigaction act = {0};
    act.sa_handler = handler;
    sem_init(&rang, 0, 0);
    sigaction(SIGUSR1, &act, 0);
    pthread_kill(pthread_self(), SIGUSR1);
    while (sem_wait(&rang) == -1)
        assert(errno == EINTR);
    assert(posted);
    return 0;
}
