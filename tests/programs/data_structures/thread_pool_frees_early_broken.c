// As thread_pool, but the job is freed before it runs.
// expect: valid-memsafety false
#include <pthread.h>
#include <stdlib.h>
#include <stdbool.h>
#include <assert.h>
struct job { void (*fn)(void *); void *arg; struct job *next; };
struct pool { pthread_mutex_t m; pthread_cond_t c; struct job *first, *last; bool stop; int n; pthread_t t[2]; };
static void *worker(void *arg) {
    struct pool *p = arg;
    for (;;) {
        pthread_mutex_lock(&p->m);
        while (!p->first && !p->stop) pthread_cond_wait(&p->c, &p->m);
        if (!p->first) { pthread_mutex_unlock(&p->m); return 0; }
        struct job *j = p->first; p->first = j->next; if (!p->first) p->last = 0;
        pthread_mutex_unlock(&p->m);
        void *arg = j->arg;
        free(j);
        j->fn(arg);
    }
}
static void submit(struct pool *p, void (*fn)(void *), void *arg) {
    struct job *j = malloc(sizeof *j); if (!j) abort();
    j->fn = fn; j->arg = arg; j->next = 0;
    pthread_mutex_lock(&p->m);
    if (p->last) p->last->next = j; else p->first = j;
    p->last = j;
    pthread_cond_signal(&p->c);
    pthread_mutex_unlock(&p->m);
}
static int cells[3];
static void inc(void *a) { ++*(int *)a; }
int main(void) {
    struct pool p = { .m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER, .n = 2 };
    for (int i = 0; i < p.n; i++) pthread_create(&p.t[i], 0, worker, &p);
    for (int i = 0; i < 3; i++) submit(&p, inc, &cells[i]);
    pthread_mutex_lock(&p.m); p.stop = true; pthread_cond_broadcast(&p.c); pthread_mutex_unlock(&p.m);
    for (int i = 0; i < p.n; i++) pthread_join(p.t[i], 0);
    for (int i = 0; i < 3; i++) assert(cells[i] == 1);
    return 0;
}
