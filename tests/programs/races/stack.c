/* Each thread gets its own variable of the stack of main. */
// expect: no-data-race true
#include <pthread.h>

void *worker(void *arg)
{
    int *p = arg;
    ++*p;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    int x = 0, y = 0;
    pthread_create(&a, 0, worker, &x);
    pthread_create(&b, 0, worker, &y);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return x + y;
}
