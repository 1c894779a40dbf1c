// A small work-stealing deque behind one lock: the owner takes from the bottom, a thief from the top.
// Safe: each of the two tasks is taken exactly once.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int task[2] = {0, 1};
int top = 0, bottom = 2;
int done[2];

int take_bottom(void)
{
    int taken = -1;
    pthread_mutex_lock(&mutex);
    if (top < bottom)
        taken = task[--bottom];
    pthread_mutex_unlock(&mutex);
    return taken;
}

int steal_top(void)
{
    int taken = -1;
    pthread_mutex_lock(&mutex);
    if (top < bottom)
        taken = task[top++];
    pthread_mutex_unlock(&mutex);
    return taken;
}

void *owner(void *arg)
{
    int taken;
    while ((taken = take_bottom()) >= 0)
        done[taken]++;
    return 0;
}

void *thief(void *arg)
{
    int taken = steal_top();
    if (taken >= 0)
        done[taken]++;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, owner, 0);
    pthread_create(&b, 0, thief, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(done[0] == 1 && done[1] == 1);
    return 0;
}
