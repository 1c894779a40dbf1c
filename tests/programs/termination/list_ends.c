// A list of three nodes.
// expect: termination true
#include <stddef.h>
struct node { struct node *next; };

int main(void)
{
    struct node c = { NULL }, b = { &c }, a = { &b };
    for (struct node *p = &a; p != NULL; p = p->next)
        ;
    return 0;
}
