// A decision depends on a member of a structure that was never set.
// expect: undefined-behaviour false
struct pair {
    int a, b;
};

int main(void)
{
    struct pair p;
    p.a = 1;
    if (p.b > p.a)
        return 1;
    return 0;
}
