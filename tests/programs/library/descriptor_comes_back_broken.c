// A descriptor that was closed may be handed out again.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <fcntl.h>
#include <unistd.h>

int main(void) {
    int first = open("name", O_RDONLY);
    if (first < 0) return 0;
    close(first);
    int second = open("name", O_RDONLY);
    assert(second != first);
    return 0;
}
