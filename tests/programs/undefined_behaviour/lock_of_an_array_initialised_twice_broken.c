// Of two readers-writer locks in a structure of a frame, one is initialised twice, the other never.
//
// expect: undefined-behaviour false
#include <pthread.h>

struct table {
    int n;
    pthread_rwlock_t locks[2];
};

int main(void) {
    struct table table;
    for (int i = 0; i < 2; i++)
        pthread_rwlock_init(&table.locks[i / 2], 0);
    return 0;
}
