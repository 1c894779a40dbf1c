// The address of a member of a structure is computed from a null pointer (C11 6.5.3.2: there is no object that it could be a part of); nothing is accessed.
//
// expect: undefined-behaviour false
// expect: valid-memsafety true
struct pair {
    int first, second;
};

static struct pair *find(int key) {
    static struct pair known = {1, 2};
    return key == known.first ? &known : 0;
}

int main(void) {
    int *second = &find(3)->second;
    return second == 0;
}
