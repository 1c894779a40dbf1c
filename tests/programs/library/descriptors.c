// A negative number is no descriptor; a new one differs from those that are in use.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    char byte;
    assert(close(-1) == -1 && errno == EBADF);
    errno = 0;
    assert(read(-1, &byte, 1) == -1 && errno == EBADF);
    int ends[2];
    if (pipe(ends) != 0) return 0;
    assert(ends[0] >= 0 && ends[1] >= 0 && ends[0] != ends[1]);
    int copy = dup(ends[0]), file = open("name", O_RDONLY);
    if (copy >= 0) assert(copy != ends[0] && copy != ends[1] && copy != file);
    int other = dup2(ends[0], ends[1]);
    assert(other == -1 || other == ends[1]);
    return 0;
}
