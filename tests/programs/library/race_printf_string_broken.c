// printf("%s") reads its argument: a race with who writes it.
// expect: no-data-race false
#include <pthread.h>
#include <stdio.h>

char name[4] = "abc";

void *show(void *arg)
{
    printf("%d %s\n", 1, name);
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
