// Members of one structure have the order of their declaration, and elements of one array have a difference.
// expect: undefined-behaviour true
// expect: unreach-call true
// native: yes

#include <assert.h>

struct pair { int first, second; };
static struct pair pairs[3];

int main(void) {
    assert((char *)&pairs[1].first < (char *)&pairs[1].second);
    assert(&pairs[2] - &pairs[0] == 2);
    return 0;
}
