// A handler learns who sent a signal, how, and with which value.
// expect: unreach-call true
// expect: undefined-behaviour true
#include <assert.h>
#include <signal.h>
#include <unistd.h>

volatile sig_atomic_t code, value, own;

void handler(int number, siginfo_t *info, void *context)
{
    code = info->si_code;
    value = info->si_value.sival_int;
    own = info->si_signo == number && info->si_pid == getpid();
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGFPE, &action, 0);
    sigqueue(getpid(), SIGFPE, (union sigval){.sival_int = 5});
    assert(code == SI_QUEUE && value == 5 && own);
    kill(getpid(), SIGFPE);
    assert(code == SI_USER && own);
    return 0;
}
