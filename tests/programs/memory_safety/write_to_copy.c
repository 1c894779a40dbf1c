// A copy of a string literal is changed.
// expect: valid-memsafety true
int main(void)
{
    char s[] = "text";
    s[0] = 'T';
    return s[0] != 'T';
}
