// Workers count up to ten under a lock; others set the count back, until the main thread tells them to stop. First the main thread comes to rest,
// so the others stop; then nobody sets the count back any more.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int count;
_Bool stop;

void *worker(void *arg)
{
    int go_on = 1;
    while (go_on) {
        pthread_mutex_lock(&m);
        if (count < 10)
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
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        pthread_create(&t, 0, worker, 0);
        pthread_create(&t, 0, setter, 0);
    }
    stop = 1;
    pthread_exit(0);
}
