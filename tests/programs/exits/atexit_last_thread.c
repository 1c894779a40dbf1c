// Main leaves by pthread_exit; what atexit registered runs when the last thread ends.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int done, late;

void at_end(void)
{
    assert(done == 1 && late == 1);
}
void first_at_end(void)
{
    late = 1;
}

void *worker(void *arg)
{
    done = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    atexit(at_end);
    atexit(first_at_end);
    pthread_create(&a, 0, worker, 0);
    pthread_detach(a);
    pthread_exit(0);
}
