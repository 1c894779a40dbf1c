// A mutex in a structure on the heap is initialised twice.
//
// expect: undefined-behaviour false
#include <pthread.h>
#include <stdlib.h>

struct counter {
    int n;
    pthread_mutex_t mutex;
};

int main(void) {
    struct counter *counter = malloc(sizeof *counter);
    pthread_mutex_init(&counter->mutex, 0);
    pthread_mutex_init(&counter->mutex, 0);
    pthread_mutex_destroy(&counter->mutex);
    free(counter);
    return 0;
}
