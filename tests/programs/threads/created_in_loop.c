// Threads created in a loop, handles in an array, argument by integer cast; each writes its own element.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

#define N 3

int square[N];

void *compute(void *arg)
{
    int i = (int)(long)arg;
    square[i] = i * i;
    return 0;
}

int main(void)
{
    pthread_t handle[N];
    for (long i = 0; i < N; i++)
        pthread_create(&handle[i], 0, compute, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(handle[i], 0);
    assert(square[0] == 0 && square[1] == 1 && square[2] == 4);
    return 0;
}
