// strtok keeps where it is in one hidden variable: two threads that take words of different strings race.
// expect: no-data-race false
#include <pthread.h>
#include <string.h>

static char left[] = "a b", right[] = "c d";

static void *words(void *line) {
    strtok(line, " ");
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, words, left);
    words(right);
    pthread_join(thread, 0);
    return 0;
}
