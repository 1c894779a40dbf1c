// An unsigned byte is never below zero: the place behind that test is reached by nobody, although it leads to one that is. (Once, the check of RedComp's
// proofs asked for movers there.)
// expect: unreach-call true

#include <pthread.h>

extern void reach_error(void);
int x;
union {
    int whole;
    unsigned char part[4];
} both;
pthread_t id;

void *reader(void *arg)
{
    if (!(x <= 2)) reach_error();
    return 0;
}

int main(void)
{
    int t = 0;
    int *q = &x;
    pthread_create(&id, 0, reader, 0);
    if (both.part[t & 1] < 0) {
        *q = 2;
    }
    return 0;
}
