// C leaves left shifts of negative numbers undefined (C11 6.5.7p4).
// expect: undefined-behaviour false
// expect: no-overflow true
int main(void)
{
    int a = -1;
    return a << 1;
}
