/* Double-checked locking with a plain flag: the first check races with the assignment. */
// expect: no-data-race false
#include <pthread.h>

int value;
int instance;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int get(void)
{
    if (!instance) {
        pthread_mutex_lock(&m);
        if (!instance) {
            value = 7;
            instance = 1;
        }
        pthread_mutex_unlock(&m);
    }
    return value;
}

void *first(void *arg)
{
    (void)arg;
    get();
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    get();
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
