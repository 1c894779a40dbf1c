// An undefined function that gets a record may write what the record's members point to, in a later call as well.
// expect: unreach-call false
// explore: unknown
#include <assert.h>

struct node {
    int value;
    int *counter;
};

void visit(struct node *first);
void notify(int *event);

static int counted;

int main(void)
{
    struct node first = {1, &counted};
    int event = 0;
    visit(&first);
    counted = 5;
    notify(&event);
    assert(counted == 5);
    return 0;
}
