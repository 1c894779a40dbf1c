// The last element of an array is never set, and a decision depends on it.
// expect: undefined-behaviour false
int main(void)
{
    int a[4], n = 0;
    for (int i = 0; i < 3; i++)
        a[i] = i;
    for (int i = 0; i < 4; i++)
        if (a[i] > 1)
            n++;
    return n;
}
