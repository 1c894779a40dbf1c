// An address is printed and scanned: what it points to is accessed without a lock.
// expect: no-data-race false
#include <pthread.h>
#include <stdio.h>

static int number;

static void *write_it(void *text) {
    void *address;
    if (sscanf(text, "%p", &address) == 1)
        *(int *)address = 1;
    return 0;
}

int main(void) {
    char text[32];
    snprintf(text, sizeof text, "%p", (void *)&number);
    pthread_t thread;
    pthread_create(&thread, 0, write_it, text);
    number = 2;
    pthread_join(thread, 0);
    return 0;
}
