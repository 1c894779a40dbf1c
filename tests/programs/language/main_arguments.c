// argc is not negative.
// expect: unreach-call true
// explore: unknown
#include <assert.h>

int main(int argc, char **argv)
{
    assert(argc >= 0);
    return 0;
}
