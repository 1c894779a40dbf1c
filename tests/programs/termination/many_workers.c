// As many workers as the input says, each with a loop of its own and a counter under a lock.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;

void *worker(void *arg)
{
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    pthread_t t;
    for (int i = 0; i < n; i++)
        pthread_create(&t, 0, worker, 0);
    if (n > 0)
        pthread_join(t, 0);
    return 0;
}
