// A function returns no value, and nothing uses it.
// expect: undefined-behaviour true
int calls;

int count(void)
{
    calls = 1;
}

int main(void)
{
    count();
    return 0;
}
