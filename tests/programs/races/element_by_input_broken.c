/* An input decides which cell each thread uses. For one input in sixteen it is the same one. */
// expect: no-data-race false
// explore: unknown
#include <pthread.h>

extern unsigned __VERIFIER_nondet_uint(void);

unsigned which;
int cells[16];

void *worker(void *arg)
{
    (void)arg;
    cells[which & 15] = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    which = __VERIFIER_nondet_uint();
    pthread_create(&t, 0, worker, 0);
    cells[5] = 2;
    pthread_join(t, 0);
    return 0;
}
