// A program that joins only threads that it has created.
// options: --thread-create-may-fail
// expect: unreach-call true
// expect: no-data-race true
// expect: no-deadlock true
#include <assert.h>
#include <errno.h>
#include <pthread.h>

int done;

void *worker(void *arg)
{
    done = 1;
    return 0;
}

int main(void)
{
    pthread_t a;
    int error = pthread_create(&a, 0, worker, 0);
    assert(error == 0 || error == EAGAIN);
    if (error)
        return 0;
    pthread_join(a, 0);
    assert(done);
    return 0;
}
