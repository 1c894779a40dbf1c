// The arguments are strings of any content: one may be "-x".
// expect: unreach-call false
// explore: unknown
#include <assert.h>

int main(int argc, char *argv[])
{
    if (argc != 2 || argv[1] == 0)
        return 0;
    assert(!(argv[1][0] == '-' && argv[1][1] == 'x' && argv[1][2] == 0));
    return 0;
}
