// A block is left by a jump, and its variable is used.
// expect: valid-memsafety false
// expect: undefined-behaviour false
int main(void)
{
    int *p = 0;
    while (1) {
        int x = 1;
        p = &x;
        if (*p)
            break;
    }
    return *p;
}
