// Two threads print into one buffer, and nothing protects it.
// expect: no-data-race false
#include <pthread.h>
#include <stdio.h>

static char text[16];

static void *print(void *number) {
    snprintf(text, sizeof text, "%d", *(int *)number);
    return 0;
}

int main(void) {
    int one = 1, two = 2;
    pthread_t thread;
    pthread_create(&thread, 0, print, &one);
    print(&two);
    pthread_join(thread, 0);
    return 0;
}
