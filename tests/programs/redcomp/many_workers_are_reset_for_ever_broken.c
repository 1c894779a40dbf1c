// As many_workers_are_reset.c, but nobody tells those who set the count back to stop.
// expect: termination false
// explore: unknown
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;
_Bool stop;

void *worker(void *arg)
{
    int go_on = 1;
    while (go_on) {
        pthread_mutex_lock(&m);
        if (count < 2)
            count++;
        else
            go_on = 0;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

void *setter(void *arg)
{
    while (!stop) {
        pthread_mutex_lock(&m);
        count = 0;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    pthread_t t;
    while (__VERIFIER_nondet_bool()) {
        pthread_create(&t, 0, worker, 0);
        pthread_create(&t, 0, setter, 0);
    }
    pthread_exit(0);
}
