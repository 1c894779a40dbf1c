// A pointer leads to the variable of an earlier iteration.
// expect: valid-memsafety false
// expect: undefined-behaviour false
int main(void)
{
    int *p = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
        int x = i;
        if (p)
            sum += *p;
        p = &x;
    }
    return sum;
}
