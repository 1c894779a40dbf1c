// The loop that fills the array ends one element too early; the sum depends on the last one, and decides.
// expect: undefined-behaviour false
// expect: unreach-call true
// explore: unknown

int main(void) {
    int a[4], sum = 0;
    for (int i = 0; i < 3; i++)
        a[i] = i;
    for (int i = 0; i < 4; i++)
        sum += a[i];
    return sum > 3 ? 1 : 0;
}
