/* A run of steps may go on to an error: if that is what is looked for, it is found at once. An error that another property is about is the
   end of the program, and what other threads do before it counts: here they race. */
// expect: unreach-call false
// expect: no-data-race false
// expect: no-deadlock true
#include <pthread.h>

extern void reach_error(void);

int x;

void *store(void *arg)
{
    (void)arg;
    x = 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, store, 0);
    pthread_create(&b, 0, store, 0);
    reach_error();
    return 0;
}
