// The last node points to the first one.
// expect: termination false
#include <stddef.h>
struct node { struct node *next; };

int main(void)
{
    struct node c = { NULL }, b = { &c }, a = { &b };
    c.next = &a;
    for (struct node *p = &a; p != NULL; p = p->next)
        ;
    return 0;
}
