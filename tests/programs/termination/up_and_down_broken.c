// One thread counts down what the other one counts up.
// expect: termination false
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x = 1;

void *up(void *arg)
{
    int go_on = 1;
    while (go_on) {
        pthread_mutex_lock(&m);
        go_on = x > 0;
        x = 1;
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int go_on = 1;
    pthread_create(&t, 0, up, 0);
    while (go_on) {
        pthread_mutex_lock(&m);
        x = x == 1 ? 2 : 1;
        go_on = x > 0;
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, 0);
    return 0;
}
