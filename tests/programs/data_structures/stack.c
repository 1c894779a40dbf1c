// A stack of three slots behind a mutex: one thread pushes three times, one pops when there is something.
// Safe: test and access are in one critical section, so the top never leaves 0..3 and no slot is read unwritten.
// expect: unreach-call true
// expect: no-deadlock true
// expect: no-data-race true
// expect: termination true
#include <assert.h>
#include <pthread.h>

#define SIZE 3

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int slot[SIZE], top;

void push(int value)
{
    assert(top < SIZE);
    slot[top] = value;
    top++;
}

int pop(void)
{
    assert(top > 0);
    top--;
    return slot[top];
}

void *pusher(void *arg)
{
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        push(7);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

void *popper(void *arg)
{
    for (int i = 0; i < SIZE; i++) {
        pthread_mutex_lock(&mutex);
        if (top > 0)
            assert(pop() == 7);
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, pusher, 0);
    pthread_create(&b, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(0 <= top && top <= SIZE);
    return 0;
}
