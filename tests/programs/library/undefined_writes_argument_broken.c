// An undefined function may write what it is given a pointer to, and what such functions were given before.
// expect: unreach-call false
// explore: unknown
#include <assert.h>

void register_counter(int *counter);
void notify(int *event);

int counter;

int main(void)
{
    int event = 0;
    register_counter(&counter);
    counter = 0;
    notify(&event);
    assert(counter == 0);
    return 0;
}
