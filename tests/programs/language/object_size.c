// __builtin_object_size of named objects, members and elements.
// native: yes
// expect: unreach-call true
#include <assert.h>

struct record {
    int number;
    char text[12];
    struct { short a, b; } pair;
};

static char buffer[10];
static struct record record;

int main(void)
{
    char local[7];
    struct record *unknown = &record;
    assert(__builtin_object_size(buffer, 0) == 10);
    assert(__builtin_object_size(&buffer[3], 0) == 7);
    assert(__builtin_object_size(local, 1) == 7);
    assert(__builtin_object_size(&record, 0) == 20);
    assert(__builtin_object_size(record.text, 0) == 16);
    assert(__builtin_object_size(record.text, 1) == 12);
    assert(__builtin_object_size(&record.text[4], 1) == 8);
    assert(__builtin_object_size(&record.pair.b, 1) == 2);
    assert(__builtin_object_size("four", 0) == 5);
    int calls = 0;
    assert(__builtin_object_size((calls++, buffer), 0) >= 10 && calls == 0);
    return unknown == 0;
}
