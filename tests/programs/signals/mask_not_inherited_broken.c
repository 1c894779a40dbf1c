// A thread that is created before the signal is blocked may run its handler.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>
#include <signal.h>

pthread_t first;

void handler(int signal)
{
    assert(pthread_equal(pthread_self(), first));
}

_Atomic int work;
void *worker(void *arg)
{
    work = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    sigset_t set;
    first = pthread_self();
    signal(SIGTERM, handler);
    pthread_create(&a, 0, worker, 0);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    pthread_join(a, 0);
    return 0;
}
