// mkstemp replaces the last six characters of its template and leaves the others alone: the name stays as long as it was. A summary that allows any bytes must not
// make a counterexample of them.
// expect: unreach-call true
// explore: unknown
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char name[] = "/tmp/threadproofXXXXXX";
    int file = mkstemp(name);
    if (file >= 0) assert(strlen(name) == 22);
    return 0;
}
