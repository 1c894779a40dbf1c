// exec returns only if it fails.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <unistd.h>

int main(void)
{
    char *arguments[] = {"true", NULL};
    assert(execv("/bin/true", arguments) == -1);
    return 0;
}
