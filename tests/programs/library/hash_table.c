// The hash table of <search.h>: an entry stays as it was first entered.
// expect: unreach-call true
// native: yes
#include <assert.h>
#include <search.h>
#include <stddef.h>

int main(void) {
    ENTRY item = {"a", (void *)1}, *found;
    assert(hcreate(10));
    found = hsearch(item, ENTER);
    assert(found && found->data == (void *)1);
    item.data = (void *)2;
    found = hsearch(item, FIND);
    assert(found && found->data == (void *)1);
    item.key = "b";
    assert(!hsearch(item, FIND));
    hdestroy();
    return 0;
}
