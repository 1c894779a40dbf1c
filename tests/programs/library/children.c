// A process can wait for each of its children once, and they have different numbers.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    assert(wait(0) == -1 && errno == ECHILD);
    pid_t first = fork();
    if (first <= 0) return 0;
    pid_t second = fork();
    if (second <= 0) return 0;
    assert(first != second && first != getpid());
    assert(waitpid(second, 0, 0) == second);
    assert(waitpid(second, 0, 0) == -1);
    assert(wait(0) == first);
    assert(wait(0) == -1);
    return 0;
}
