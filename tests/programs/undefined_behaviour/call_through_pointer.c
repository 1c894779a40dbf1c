// A function pointer is set before it is called.
// expect: undefined-behaviour true
int calls;

void count(void)
{
    calls++;
}

void (*handler)(void);

int main(void)
{
    handler = count;
    handler();
    return calls != 1;
}
