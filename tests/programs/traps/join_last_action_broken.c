// The smallest program that loses a state when a thread's last action does not write the cell that its join reads.
// Guards that ghost cell: main has the smallest number, and its join is possible only after the last step of the other thread.
// Broken: after the join y is 1.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

int x, y;

void *other(void *arg)
{
    y = y + 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, other, 0);
    pthread_join(a, 0);
    x = 2;
    assert(y == 0);
    return 0;
}
