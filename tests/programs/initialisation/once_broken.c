// A hand-made "once" that tests and sets in two steps.
// Broken: both threads see done==0 and both initialise; runs becomes 2 when the increments do not overlap.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int done, runs;

void *user(void *arg)
{
    if (!done) {
        runs++;
        done = 1;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, user, 0);
    pthread_create(&b, 0, user, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(runs == 1);
    return 0;
}
