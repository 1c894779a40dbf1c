// A shift by the width of its type.
// expect: undefined-behaviour false
int main(void)
{
    unsigned x = 1;
    int n = 0;
    while (n < 32)
        n++;
    return (int)(x << n);
}
