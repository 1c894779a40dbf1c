// A search that finds nothing returns null, which is tested.
// expect: valid-memsafety true
// expect: unreach-call true
#include <assert.h>

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
    struct entry *e = find(4);
    assert(!e || e->value == 10);
    return e ? e->value : 0;
}
