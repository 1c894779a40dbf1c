// Shifts by less than the width, without reaching the sign bit.
// expect: undefined-behaviour true
int main(void)
{
    int sum = 0;
    for (int n = 0; n < 31; n++)
        sum |= 1 << n;
    return sum == 0;
}
