// read, recv, stat and fgets write their buffers: what was there before is gone. Their results stay in range.
// expect: unreach-call false
// explore: unknown
#include <assert.h>
#include <unistd.h>

int main(void)
{
    char buffer[4] = {0};
    int n = (int)read(0, buffer, sizeof buffer);
    if (n == 4)
        assert(buffer[2] == 0);
    return 0;
}
