// '&&', '||' and '?:' do not read the operand that they do not evaluate, even if it is a local variable: another thread may write it meanwhile.
// expect: no-data-race true
// expect: unreach-call true
#include <pthread.h>

void *writer(void *local)
{
    *(int *)local = 1;
    return 0;
}

int main(void)
{
    int never = 0, always = 1, local = 0;
    pthread_t thread;
    pthread_create(&thread, 0, writer, &local);
    int x = never && local;
    int y = always || local;
    int z = never ? local : 5;
    int w = always ? 6 : local + 1;
    never ? (void)local : (void)0;
    int v = never ? (x & local) : z;
    pthread_join(thread, 0);
    return x + y + z + w + v - 17;
}
