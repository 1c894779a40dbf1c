// The variable of a `for` ceases to live with the loop.
// expect: valid-memsafety false
int main(void)
{
    int *p = 0;
    for (int i = 0; i < 2; i++)
        p = &i;
    return *p;
}
