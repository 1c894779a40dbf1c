// Output waits for the lock of its stream (POSIX, flockfile): a thread that holds it and waits for one that prints waits for ever.
// expect: no-deadlock false
// expect: unreach-call true
#include <pthread.h>
#include <stdio.h>

static void *print(void *unused) {
    printf("text\n");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, print, NULL);
    flockfile(stdout);
    pthread_join(thread, NULL);
    funlockfile(stdout);
    return 0;
}
