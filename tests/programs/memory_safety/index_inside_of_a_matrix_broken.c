// An index leaves a row of a matrix, but not the matrix.
// expect: valid-memsafety false
// expect: undefined-behaviour false
int matrix[2][3];
int n = 3;

int main(void)
{
    return matrix[0][n];
}
