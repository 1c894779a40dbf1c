// A signal to the process, which all threads block, is accepted by the one that waits for it.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

sigset_t set;

void *waiter(void *arg)
{
    int got = 0;
    sigwait(&set, &got);
    assert(got == SIGUSR2);
    return 0;
}

int main(void)
{
    pthread_t a;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&a, 0, waiter, 0);
    kill(getpid(), SIGUSR2);
    pthread_join(a, 0);
    return 0;
}
