// What `%s` prints is read without the lock under which it is written.
// expect: no-data-race false
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char name[4] = "ab";

static void *rename_it(void *unused) {
    pthread_mutex_lock(&lock);
    name[1] = 'c';
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    char own[16];
    pthread_t thread;
    pthread_create(&thread, 0, rename_it, 0);
    snprintf(own, sizeof own, "%s", name);
    pthread_join(thread, 0);
    return own[0] == 'b';
}
