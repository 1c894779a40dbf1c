// The address of a member is computed only from a pointer that is not null, and of the constant null pointer only as `offsetof` does.
//
// expect: undefined-behaviour true
struct pair {
    int first, second;
};

static struct pair known = {1, 2};

static struct pair *find(int key) { return key == known.first ? &known : 0; }

int main(void) {
    struct pair *pair = find(1);
    int *second = pair ? &pair->second : 0;
    unsigned long distance = (unsigned long)&((struct pair *)0)->second;
    return second && *second == 2 && distance == sizeof(int) ? 0 : 1;
}
