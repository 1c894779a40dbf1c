// A pointer to `int` is made from an aligned address; members of packed structures need no alignment.
// expect: undefined-behaviour true
struct __attribute__((packed)) packed {
    char c;
    int x;
};

_Alignas(int) char buffer[8];
struct packed s;

int main(void)
{
    int *p = (int *)(buffer + 4);
    struct packed *q = (struct packed *)(buffer + 1);
    s.x = *p;
    return s.x + q->x;
}
