// A pointer that comes from a file may point anywhere: there is no verdict, least of all "true".
// expect: unreach-call false
// explore: unknown
// impact: unknown
#include <unistd.h>

extern void reach_error(void);

struct record {
    int *pointer;
    int number[6];
};

int main(void)
{
    struct record record;
    record.pointer = 0;
    if (read(0, &record, sizeof record) == sizeof record && record.pointer && *record.pointer == 3)
        reach_error();
    return 0;
}
