// A loop runs over all elements of an array.
// expect: valid-memsafety true
// expect: undefined-behaviour true
int a[4];

int main(void)
{
    for (int i = 0; i < 4; i++)
        a[i] = i;
    return 0;
}
