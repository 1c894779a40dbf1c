// A pointer walks to the end of an array.
// expect: termination true

int main(void)
{
    int a[6], *p = a;
    while (p < a + 6)
        *p++ = 1;
    return 0;
}
