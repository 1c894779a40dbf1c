// Addresses of IPv4 as text, and back.
// expect: unreach-call true
// native: yes
#include <arpa/inet.h>
#include <assert.h>
#include <string.h>

int main(void)
{
    struct in_addr address;
    char text[INET_ADDRSTRLEN];
    assert(inet_pton(AF_INET, "10.20.30.40", &address) == 1);
    assert(ntohl(address.s_addr) == 0x0a141e28);
    assert(inet_pton(AF_INET, "10.20.30.400", &address) == 0 && inet_pton(AF_INET, "1.2.3", &address) == 0);
    assert(inet_ntop(AF_INET, &address, text, sizeof text) == text && !strcmp(text, "10.20.30.40"));
    assert(!inet_ntop(AF_INET, &address, text, 11));
    assert(inet_aton("127.1", &address) == 1 && ntohl(address.s_addr) == 0x7f000001);
    assert(inet_addr("1.2.3.x") == 0xffffffff);
    return 0;
}
