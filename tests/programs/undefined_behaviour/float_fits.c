// Numbers that are just not too large for a type.
// expect: undefined-behaviour true
double low = -2147483648.9, high = 2147483647.9, small = -0.9;

int main(void)
{
    int a = (int)low, b = (int)high;
    unsigned c = (unsigned)small;
    return a < b && c == 0;
}
