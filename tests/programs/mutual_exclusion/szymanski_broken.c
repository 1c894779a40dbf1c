// Szymanski's algorithm without the higher thread's last wait.
// Broken: both set 1, both pass the door, both set 3; neither sees a 1, both set 4 and enter.
// expect: unreach-call false
// expect: no-data-race false
#include <assert.h>
#include <pthread.h>

int flag0, flag1, inside;

void *lower(void *arg)
{
    flag0 = 1;
    while (flag1 >= 3)
        ;
    flag0 = 3;
    if (flag1 == 1) {
        flag0 = 2;
        while (flag1 != 4)
            ;
    }
    flag0 = 4;
    inside = 1;
    assert(inside == 1);
    flag0 = 0;
    return 0;
}

void *higher(void *arg)
{
    flag1 = 1;
    while (flag0 >= 3)
        ;
    flag1 = 3;
    if (flag0 == 1) {
        flag1 = 2;
        while (flag0 != 4)
            ;
    }
    flag1 = 4;
    inside = 2;
    assert(inside == 2);
    flag1 = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, lower, 0);
    pthread_create(&b, 0, higher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
