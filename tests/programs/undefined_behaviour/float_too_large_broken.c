// A number is converted to an integer type that does not have it.
// expect: undefined-behaviour false
double d = 2147483648.0;

int main(void)
{
    return (int)d;
}
