// After fork the child has a copy: neither side sees what the other writes, and handlers run on both.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int prepared, in_parent, in_child;

static void prepare(void) { prepared++; }
static void parent(void) { in_parent++; }
static void child(void) { in_child++; }

int main(void)
{
    int x = 1;
    pid_t self = getpid();
    pthread_atfork(prepare, parent, child);
    pid_t other = fork();
    assert(prepared == 1);
    if (other == 0) {
        assert(in_child == 1 && in_parent == 0 && getpid() != self);
        x = 2;
        _exit(0);
    }
    assert(in_child == 0 && in_parent == 1 && getpid() == self);
    if (other > 0)
        wait(0);
    assert(x == 1);
    return 0;
}
