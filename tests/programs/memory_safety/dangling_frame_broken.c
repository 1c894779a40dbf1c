// A function returns the address of its own variable.
// expect: valid-memsafety false
// expect: valid-deref false
int *keep;

void remember(void)
{
    int x = 3;
    keep = &x;
    *keep = 4;
}

int main(void)
{
    remember();
    return *keep;
}
