// An argument struct in main's frame with input and output fields, one per thread.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

struct job {
    int from, to, sum;
};

void *add_up(void *arg)
{
    struct job *job = arg;
    for (int i = job->from; i < job->to; i++)
        job->sum += i;
    return job;
}

int main(void)
{
    struct job low = {0, 2, 0}, high = {.from = 2, .to = 4};
    pthread_t a, b;
    void *result;
    pthread_create(&a, 0, add_up, &low);
    pthread_create(&b, 0, add_up, &high);
    pthread_join(a, &result);
    assert(result == &low);
    pthread_join(b, 0);
    assert(low.sum + high.sum == 0 + 1 + 2 + 3);
    return 0;
}
