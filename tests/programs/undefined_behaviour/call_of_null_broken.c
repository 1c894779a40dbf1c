// A function pointer that was never set is called.
// expect: undefined-behaviour false
// expect: valid-memsafety false
void (*handler)(void);

int main(void)
{
    handler();
    return 0;
}
