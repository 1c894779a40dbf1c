// Who runs a program does not change by asking.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <unistd.h>

int main(void) {
    assert(getuid() == getuid());
    return 0;
}
