// A constant object is written through a cast.
// expect: valid-memsafety false
// expect: undefined-behaviour false
const int limit = 1;

int main(void)
{
    *(int *)&limit = 2;
    return limit;
}
