// What is sent with a signal reaches who waits for it, and a handler. Faults' signals come from nowhere else.
// expect: unreach-call true
// explore: unknown
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int number, code, value;

static void handle(int signal, siginfo_t *info, void *context) {
    number = info->si_signo;
    code = info->si_code;
    value = info->si_value.sival_int;
}

int main(void) {
    struct sigaction action;
    union sigval sent;
    sigset_t set;
    siginfo_t info;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGFPE, &action, 0);
    sent.sival_int = 1;
    sigqueue(getpid(), SIGFPE, sent);
    assert(number == SIGFPE && code == SI_QUEUE && value == 1);
    raise(SIGFPE);
    assert(code == SI_TKILL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, 0);
    info.si_code = 7;
    sent.sival_int = 2;
    sigqueue(getpid(), SIGUSR2, sent);
    assert(sigtimedwait(&set, &info, 0) == SIGUSR2);
    assert(info.si_code == SI_QUEUE && info.si_value.sival_int == 2 && info.si_pid == getpid());
    return 0;
}
