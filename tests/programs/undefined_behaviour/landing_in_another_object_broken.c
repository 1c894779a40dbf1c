// The distance between two arrays is added to a pointer into the first one, and the access lands in the second one, which is alive. Still it leaves its object.
// expect: undefined-behaviour false
// expect: valid-memsafety false

int a[4], b[4];

int main(void) {
    long distance = ((long)b - (long)a) / (long)sizeof(int);
    int *p = a;
    return p[distance];
}
