// A structure of which one member was never set is copied.
// expect: undefined-behaviour true
struct pair {
    int first, second;
};

int main(void)
{
    struct pair a, b;
    a.first = 1;
    b = a;
    return b.first;
}
