// The main thread takes the lock of the workers between creating them, and joins the last one.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg)
{
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        x++;
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
        pthread_mutex_lock(&m);
        x = 0;
        pthread_mutex_unlock(&m);
    }
    if (n > 0)
        pthread_join(t, 0);
    return 0;
}
