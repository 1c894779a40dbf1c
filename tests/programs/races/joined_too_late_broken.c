/* Main uses the result before it joins the second thread. */
// expect: no-data-race false
#include <pthread.h>

int x;

void *first(void *arg)
{
    (void)arg;
    return 0;
}

void *second(void *arg)
{
    (void)arg;
    x++;
    return 0;
}


int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    int result = x;
    pthread_join(b, 0);
    return result;
}
