// A loop runs one element too far.
// expect: valid-memsafety false
// expect: valid-deref false
// expect: undefined-behaviour false
int a[4];

int main(void)
{
    for (int i = 0; i <= 4; i++)
        a[i] = i;
    return 0;
}
