// A mutex that is initialised statically is initialised by a call while it is locked.
// expect: undefined-behaviour false

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_init(&lock, 0);
    return 0;
}
