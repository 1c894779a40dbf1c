// Two threads share a countdown from an input, under a lock.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg)
{
    int go_on = 1;
    while (go_on) {
        pthread_mutex_lock(&m);
        if (x > 0)
            x--;
        else
            go_on = 0;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    x = __VERIFIER_nondet_int();
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
