// The classic mistake: every thread gets a pointer to the loop variable.
// Broken: the first thread reads i after main has incremented it, so element 0 is never written.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

#define N 2

int visited[N + 1];

void *visit(void *arg)
{
    int i = *(int *)arg;
    visited[i] = 1;
    return 0;
}

int main(void)
{
    pthread_t handle[N];
    int i;
    for (i = 0; i < N; i++)
        pthread_create(&handle[i], 0, visit, &i);
    for (int k = 0; k < N; k++)
        pthread_join(handle[k], 0);
    assert(visited[0] && visited[1]);
    return 0;
}
