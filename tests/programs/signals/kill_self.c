// In a program of one thread, a signal that it sends to itself is delivered before kill returns.
// expect: unreach-call true
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

volatile sig_atomic_t count;

void handler(int signal)
{
    if (count < 3)
        count++;
}

int main(void)
{
    signal(SIGUSR1, handler);
    kill(getpid(), SIGUSR1);
    assert(count >= 1);
    pthread_kill(pthread_self(), SIGUSR1);
    assert(count >= 2);
    return 0;
}
