// A dedicated thread accepts the signal that all block; what was written before it was sent can be read.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <signal.h>

sigset_t set;
int message;

void *waiter(void *arg)
{
    int got = 0;
    assert(sigwait(&set, &got) == 0);
    assert(got == SIGUSR1);
    assert(message == 1);
    return 0;
}

int main(void)
{
    pthread_t a;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_create(&a, 0, waiter, 0);
    message = 1;
    pthread_kill(a, SIGUSR1);
    pthread_join(a, 0);
    return 0;
}
