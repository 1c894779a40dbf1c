// The loop needs a lexicographic order, and another thread interferes with one of its variables.
// expect: termination true
// explore: unknown
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;

void *worker(void *arg)
{
    if (__VERIFIER_nondet_bool()) {
        pthread_mutex_lock(&m);
        y = 0;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int go_on = 1;
    x = __VERIFIER_nondet_int();
    y = __VERIFIER_nondet_int();
    pthread_create(&t, 0, worker, 0);
    while (go_on) {
        pthread_mutex_lock(&m);
        go_on = x > 0 && y > 0;
        if (go_on) {
            if (__VERIFIER_nondet_bool()) {
                x--;
                y = __VERIFIER_nondet_int();
            } else {
                y--;
            }
        }
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    return 0;
}
