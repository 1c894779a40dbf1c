// The list of arguments ends with a null pointer, and so does the environment.
// expect: unreach-call true
// explore: unknown
#include <assert.h>

extern char **environ;

int main(int argc, char *argv[], char **envp)
{
    assert(argv[argc] == 0);
    if (argc > 0)
        assert(argv[0] != 0);
    assert(envp == environ);
    return 0;
}
