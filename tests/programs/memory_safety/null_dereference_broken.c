// A search that finds nothing returns null, which is not tested.
// expect: valid-memsafety false
// expect: valid-deref false
struct entry {
    int key;
    int value;
};

struct entry table[3] = { { 1, 10 }, { 2, 20 }, { 3, 30 } };

struct entry *find(int key)
{
    for (int i = 0; i < 3; i++)
        if (table[i].key == key)
            return &table[i];
    return 0;
}

int main(void)
{
    return find(4)->value;
}
