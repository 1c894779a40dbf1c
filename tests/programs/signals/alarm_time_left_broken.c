// `alarm` returns how many seconds were left of the one before: up to all of them.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <unistd.h>

int main(void) {
    alarm(100);
    assert(alarm(0) < 100);
    return 0;
}
