// `i = i++ + 1` changes i twice in no order (C11 6.5p2).
// expect: undefined-behaviour false
// expect: unreach-call true

int main(void) {
    int i = 0;
    i = i++ + 1;
    return i;
}
