// A left shift of a signed number into its sign bit.
// expect: undefined-behaviour false
int main(void)
{
    int n = 31, one = 1;
    return (one << n) == 0;
}
