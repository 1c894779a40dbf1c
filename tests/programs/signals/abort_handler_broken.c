// abort runs the handler of SIGABRT before it ends the program.
// expect: unreach-call false
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

void handler(int signal)
{
    assert(signal != SIGABRT);
}

int main(void)
{
    signal(SIGABRT, handler);
    abort();
}
