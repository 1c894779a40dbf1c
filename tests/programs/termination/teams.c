// Workers create helpers in loops of their own: two kinds of threads, any number of each.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int budget = 1000;

void *helper(void *arg)
{
    int go_on = 1;
    while (go_on) {
        pthread_mutex_lock(&m);
        go_on = budget > 0;
        if (go_on)
            budget--;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *worker(void *arg)
{
    pthread_t t;
    for (int n = __VERIFIER_nondet_int(); n > 0; n--)
        pthread_create(&t, 0, helper, 0);
    return 0;
}

int main(void)
{
    pthread_t t;
    for (int n = __VERIFIER_nondet_int(); n > 0; n--)
        pthread_create(&t, 0, worker, 0);
    pthread_exit(0);
}
