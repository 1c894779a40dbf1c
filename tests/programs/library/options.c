// getopt gives one option after the other, and what is none at the end.
// expect: unreach-call true
#include <assert.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char *argv[] = { "program", "file", "-vo", "out", 0 };
    assert(getopt(4, argv, "vo:") == 'v');
    assert(getopt(4, argv, "vo:") == 'o' && strcmp(optarg, "out") == 0);
    assert(getopt(4, argv, "vo:") == -1 && optind == 3);
    assert(strcmp(argv[3], "file") == 0);
    return 0;
}
