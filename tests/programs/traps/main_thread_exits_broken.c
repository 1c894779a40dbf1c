// main ends as a thread, not as a program: the other thread goes on.
// Guards that the end of the first thread's last action (join's ghost cell) is not taken for the program's end.
// Broken: the thread runs after main is gone.
// expect: unreach-call false
// expect: no-deadlock true
#include <assert.h>
#include <pthread.h>

int done;

void *late(void *arg)
{
    assert(!done);
    return 0;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, 0, late, 0);
    done = 1;
    pthread_exit(0);
}
