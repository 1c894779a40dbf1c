// A variable is read in a decision before it was set.
// expect: undefined-behaviour false
int main(void)
{
    int x;
    if (x)
        return 1;
    return 0;
}
