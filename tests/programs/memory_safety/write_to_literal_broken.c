// A string literal is changed.
// expect: valid-memsafety false
// expect: valid-deref false
int main(void)
{
    char *s = "text";
    s[0] = 'T';
    return 0;
}
