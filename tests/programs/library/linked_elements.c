// insque and remque link elements.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <search.h>

struct element {
    struct element *next, *previous;
};

int main(void)
{
    struct element first, second, third;
    insque(&first, 0);
    assert(!first.next && !first.previous);
    insque(&third, &first);
    insque(&second, &first);
    assert(first.next == &second && second.next == &third && third.previous == &second && !third.next);
    remque(&second);
    assert(first.next == &third && third.previous == &first);
    return 0;
}
