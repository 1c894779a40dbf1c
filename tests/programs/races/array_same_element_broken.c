/* Both threads compute the same index. */
// expect: no-data-race false
#include <pthread.h>

int cells[4];

void *first(void *arg)
{
    int i = 3;
    cells[i - 1] = arg != 0;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    cells[2]++;
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
