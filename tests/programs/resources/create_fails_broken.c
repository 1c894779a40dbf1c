// A program that takes the creation of its thread for granted.
// options: --thread-create-may-fail
// expect: unreach-call false
#include <assert.h>
#include <pthread.h>

int done;

void *worker(void *arg)
{
    done = 1;
    return 0;
}

int main(void)
{
    pthread_t a = 0;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    assert(done);
    return 0;
}
