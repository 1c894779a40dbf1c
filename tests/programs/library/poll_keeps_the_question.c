// poll says no more than it was asked.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <poll.h>

int main(void)
{
    struct pollfd list[2] = { { 0, POLLIN, 0 }, { -1, POLLIN, 7 } };
    int n = poll(list, 2, 0);
    assert(n == -1 || n == 0 || n == 1);
    assert(list[0].fd == 0 && list[0].events == POLLIN && !(list[0].revents & POLLOUT));
    if (n >= 0)
        assert(list[1].revents == 0 && n == (list[0].revents != 0));
    return 0;
}
