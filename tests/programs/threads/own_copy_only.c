// Both threads have a variable u of their own, whose address nobody else gets: q never means the other one's.
// expect: unreach-call true

#include <assert.h>
#include <pthread.h>

struct pair {
    int f, g;
};
int a[2];
struct pair s;

void *work(void *arg)
{
    int u = 0;
    int *q = arg;
    struct pair *r = &s;
    assert(r->g != 1 || *q < 2);
    q = &u;
    *q = 1;
    return 0;
}

int main(void)
{
    pthread_t id[2];
    for (int i = 0; i < 2; i++) pthread_create(&id[i], 0, work, &a[i]);
    return 0;
}
