// An index leaves an array, but not the structure around it.
// expect: valid-memsafety false
// expect: undefined-behaviour false
struct s {
    int a[4];
    int b;
};

struct s s;
int n = 4;

int main(void)
{
    s.a[n] = 1;
    return s.b;
}
