// A sort may write every element, even of an array that is sorted already: reading one meanwhile is a race.
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>

static int numbers[2] = { 1, 2 };

static int compare(const void *left, const void *right) { return *(const int *)left - *(const int *)right; }

static void *sort(void *unused) {
    qsort(numbers, 2, sizeof *numbers, compare);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, sort, 0);
    int last = numbers[1];
    pthread_join(thread, 0);
    return last == 2 ? 0 : 1;
}
