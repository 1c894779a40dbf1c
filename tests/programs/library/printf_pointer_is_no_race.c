// printf("%p") prints the address and reads nothing.
// expect: no-data-race true
#include <pthread.h>
#include <stdio.h>

char name[4] = "abc";

void *show(void *arg)
{
    printf("%p %.*s\n", (void *)name, 3, "literal");
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, show, NULL);
    name[1] = 'x';
    pthread_join(thread, NULL);
    return 0;
}
