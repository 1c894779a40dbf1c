// argc is not negative.
// expect: unreach-call true
#include <assert.h>

int main(int argc, char **argv)
{
    assert(argc >= 0);
    return 0;
}
