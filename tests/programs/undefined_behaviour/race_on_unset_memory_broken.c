// A block is copied while another thread writes it for the first time: what was never set may be handed on, but the two accesses are a race.
// expect: undefined-behaviour false
// expect: no-data-race false
#include <pthread.h>
#include <stdlib.h>
int *p;
int y;
void *t1(void *a) { y = *p; return 0; }
void *t2(void *a) { *p = 1; return 0; }
int main(void) {
    pthread_t a, b;
    p = malloc(sizeof *p);
    if (!p) return 1;
    pthread_create(&a, 0, t1, 0); pthread_create(&b, 0, t2, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    free(p);
    return 0;
}
