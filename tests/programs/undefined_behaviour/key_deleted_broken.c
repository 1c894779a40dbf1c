/* POSIX leaves undefined what a deleted key does. */
// expect: undefined-behaviour false
#include <pthread.h>

int main(void) {
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, &key);
    pthread_key_delete(key);
    return pthread_setspecific(key, &key);
}
