// Each thread first reads from the pipe that the other one writes to.
// expect: no-deadlock false
#include <pthread.h>
#include <unistd.h>

int there[2], back[2];

void *answers(void *unused)
{
    char c;
    read(there[0], &c, 1);
    write(back[1], &c, 1);
    return 0;
}

int main(void)
{
    pthread_t thread;
    char c = 'x';
    pipe(there);
    pipe(back);
    pthread_create(&thread, 0, answers, 0);
    read(back[0], &c, 1);
    write(there[1], &c, 1);
    pthread_join(thread, 0);
    return 0;
}
