// Back and forth.
// expect: termination false

int main(void)
{
    int x = 1;
    while (x != 0)
        x = -x;
    return 0;
}
