// argc need not be positive: a program can be started with an empty list of arguments.
// expect: unreach-call false
// explore: unknown
#include <assert.h>

int main(int argc, char **argv)
{
    assert(argc >= 1);
    return 0;
}
