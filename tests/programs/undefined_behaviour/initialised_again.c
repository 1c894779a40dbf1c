// A mutex that was destroyed may be initialised again.
// expect: undefined-behaviour true
#include <pthread.h>

pthread_mutex_t m;

int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_init(&m, 0);
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
        pthread_mutex_destroy(&m);
    }
    return 0;
}
