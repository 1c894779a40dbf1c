/* Members that are not aligned may be used by name, and copied as bytes; those that are aligned by their place may be pointed to. */
// expect: undefined-behaviour true
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <string.h>
struct __attribute__((packed)) record {
    char kind;
    int number;
    char last;
};
struct __attribute__((packed, aligned(4))) aligned {
    int first;
    char second;
};

int main(void) {
    struct record record = {1, 2, 3};
    struct aligned aligned = {4, 5};
    int copy;
    record.number++;
    memcpy(&copy, &record.number, sizeof copy);
    char *byte = (char *)&record.number;
    int *first = &aligned.first;
    assert(copy == 3 && *byte == 3 && *first == 4);
    return 0;
}
