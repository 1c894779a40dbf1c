// A variable is used through a pointer after its block was left.
// expect: valid-memsafety false
// expect: undefined-behaviour false
int main(void)
{
    int *p;
    {
        int x = 1;
        p = &x;
    }
    return *p;
}
