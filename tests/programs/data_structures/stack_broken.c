// The stack behind a mutex, but the poppers test for emptiness before they lock.
// Broken: one element; both poppers see top==1, one pops it, the other finds the stack empty.
// expect: unreach-call false
// expect: no-deadlock true
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

#define SIZE 3

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int slot[SIZE], top;

void *popper(void *arg)
{
    if (top > 0) {
        pthread_mutex_lock(&mutex);
        assert(top > 0);
        top--;
        pthread_mutex_unlock(&mutex);
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    slot[0] = 7;
    top = 1;
    pthread_create(&a, 0, popper, 0);
    pthread_create(&b, 0, popper, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
