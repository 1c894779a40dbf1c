/* Different elements of an array are different memory locations. */
// expect: no-data-race true
#include <pthread.h>

int cells[2];

void *first(void *arg)
{
    (void)arg;
    cells[0]++;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    cells[1]++;
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return cells[0] + cells[1];
}
