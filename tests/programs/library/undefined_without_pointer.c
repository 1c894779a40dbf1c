// An undefined function and that gets no pointer changes nothing.
// expect: unreach-call true
// explore: unknown
#include <assert.h>

int measure(int what);

int counter;

int main(void)
{
    counter = 3;
    int value = measure(counter);
    assert(counter == 3);
    return value;
}
