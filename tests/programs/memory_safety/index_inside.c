// Indices inside of their arrays; the address behind the last element; an array at the end of a structure that is larger than it says.
// expect: valid-memsafety true
// expect: undefined-behaviour true
#include <stdlib.h>

struct s {
    int a[4];
    int b;
};

struct message {
    int length;
    char text[1];
};

struct s s;
int matrix[2][3];

int main(void)
{
    int sum = 0;
    for (int *p = s.a; p != &s.a[4]; p++)
        sum += *p;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            sum += matrix[i][j];
    struct message *m = malloc(sizeof *m + 3);
    m->length = 3;
    for (int i = 0; i <= m->length; i++)
        m->text[i] = 'x';
    free(m);
    return sum;
}
