// The child's side is followed, too.
// expect: unreach-call false
#include <assert.h>
#include <unistd.h>

int main(void)
{
    pid_t other = fork();
    assert(other != 0);
    return 0;
}
