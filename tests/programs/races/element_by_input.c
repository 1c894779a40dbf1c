/* An input decides which of two cells belongs to whom; both threads read it before anything else can happen, and agree. Neither a
   lock nor an order keeps the accesses apart, only the values of the indices. */
// expect: no-data-race true
// explore: unknown
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned which;
int cells[2];

void *worker(void *arg)
{
    (void)arg;
    cells[which & 1] = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    which = __VERIFIER_nondet_uint();
    pthread_create(&t, 0, worker, 0);
    cells[(which & 1) ^ 1] = 2;
    pthread_join(t, 0);
    return 0;
}
