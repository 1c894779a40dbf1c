// Any number of workers take from one number under a lock until nothing is left.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int left;

void *worker(void *arg)
{
    int go_on = 1;
    while (go_on) {
        pthread_mutex_lock(&m);
        if (left > 0)
            left--;
        else
            go_on = 0;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    left = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    while (n > 0) {
        pthread_create(&t, 0, worker, 0);
        n--;
    }
    pthread_exit(0);
}
