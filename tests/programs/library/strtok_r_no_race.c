// strtok_r keeps where it is in a variable of the caller.
// expect: no-data-race true
// expect: unreach-call true
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char left[] = "a b", right[] = "c d";

static void *words(void *line) {
    char *rest, *word = strtok_r(line, " ", &rest);
    assert(word == line && rest == word + 2);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, words, left);
    words(right);
    pthread_join(thread, 0);
    return 0;
}
