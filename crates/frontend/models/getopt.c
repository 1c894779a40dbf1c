/* getopt, getopt_long and getopt_long_only as in glibc, with its permutation of arguments. Messages are not printed.
 *
 * The hidden state is accessed plainly: calls in two threads race. POSIXLY_CORRECT is taken to be unset.
 */

typedef __typeof__(sizeof(0)) size_t;
struct option { const char *name; int has_arg; int *flag; int val; };

extern size_t strlen(const char *);
extern int strcmp(const char *, const char *);
extern int strncmp(const char *, const char *, size_t);
extern char *strchr(const char *, int);

int optind = 1, opterr = 1, optopt = '?';
char *optarg;

static int started;
static int unknown;                  /* the option that was last at fault; every call copies it to optopt */
static char *rest;                   /* what is left of an argument with several options */
static int first_other, behind_others; /* the arguments that are no options and were skipped */
static enum { PERMUTE, RETURN_IN_ORDER, REQUIRE_ORDER } ordering;

/* Exchanges the arguments that were skipped with the options behind them. */
static void exchange(char **argv) {
    int low = first_other, middle = behind_others, high = optind;
    for (int i = middle; i < high; i++) {
        char *option = argv[i];
        for (int k = i; k > i - (middle - low); k--) argv[k] = argv[k - 1];
        argv[i - (middle - low)] = option;
    }
    first_other += optind - behind_others;
    behind_others = optind;
}

static int is_option(const char *argument) { return argument[0] == '-' && argument[1]; }

/* A long option; `prefix` is how many dashes it has. */
static int long_option(int argc, char **argv, const char *short_options, const struct option *options, int *index, int only, int quiet_colon) {
    size_t n = 0;
    int found = -1, exact = 0, ambiguous = 0;
    while (rest[n] && rest[n] != '=') n++;
    for (int i = 0; options[i].name; i++) {
        if (strncmp(options[i].name, rest, n) != 0) continue;
        if (options[i].name[n] == 0) {
            found = i;
            exact = 1;
            break;
        }
        if (found < 0) found = i;
        else if (only || options[found].has_arg != options[i].has_arg || options[found].flag != options[i].flag || options[found].val != options[i].val)
            ambiguous = 1;
    }
    if (ambiguous && !exact) {
        rest = 0;
        optind++;
        unknown = 0;
        return '?';
    }
    if (found < 0) {
        if (only && argv[optind][1] != '-' && strchr(short_options, *rest)) return -1;
        rest = 0;
        optind++;
        unknown = 0;
        return '?';
    }
    optind++;
    const struct option *option = &options[found];
    if (rest[n]) {
        if (!option->has_arg) {
            rest = 0;
            unknown = option->val;
            return '?';
        }
        optarg = rest + n + 1;
    } else if (option->has_arg == 1) {
        if (optind >= argc) {
            rest = 0;
            unknown = option->val;
            return quiet_colon ? ':' : '?';
        }
        optarg = argv[optind++];
    }
    rest = 0;
    if (index) *index = found;
    if (option->flag) {
        *option->flag = option->val;
        return 0;
    }
    return option->val;
}

static int next_option(int argc, char **argv, const char *options, const struct option *long_options, int *index, int only, int posix) {
    if (argc < 1) return -1;
    optarg = 0;
    if (optind == 0 || !started) {
        if (optind == 0) optind = 1;
        first_other = behind_others = optind;
        rest = 0;
        ordering = options[0] == '-' ? RETURN_IN_ORDER : posix || options[0] == '+' ? REQUIRE_ORDER : PERMUTE;
        started = 1;
    }
    if (options[0] == '-' || options[0] == '+') options++;
    int colon = options[0] == ':';
    if (!rest || !*rest) {
        if (behind_others > optind) behind_others = optind;
        if (first_other > optind) first_other = optind;
        if (ordering == PERMUTE) {
            if (first_other != behind_others && behind_others != optind) exchange(argv);
            else if (behind_others != optind) first_other = optind;
            while (optind < argc && !is_option(argv[optind])) optind++;
            behind_others = optind;
        }
        if (optind != argc && strcmp(argv[optind], "--") == 0) {
            optind++;
            if (first_other != behind_others && behind_others != optind) exchange(argv);
            else if (first_other == behind_others) first_other = optind;
            behind_others = argc;
            optind = argc;
        }
        if (optind == argc) {
            if (first_other != behind_others) optind = first_other;
            return -1;
        }
        if (!is_option(argv[optind])) {
            if (ordering == REQUIRE_ORDER) return -1;
            optarg = argv[optind++];
            return 1;
        }
        if (long_options) {
            if (argv[optind][1] == '-') {
                rest = argv[optind] + 2;
                return long_option(argc, argv, options, long_options, index, only, colon);
            }
            if (only && (argv[optind][2] || !strchr(options, argv[optind][1]))) {
                rest = argv[optind] + 1;
                int code = long_option(argc, argv, options, long_options, index, only, colon);
                if (code != -1) return code;
            }
        }
        rest = argv[optind] + 1;
    }
    char c = *rest++;
    const char *known = strchr(options, c);
    if (!*rest) optind++;
    if (!known || c == ':' || c == ';') {
        unknown = c;
        return '?';
    }
    if (known[0] == 'W' && known[1] == ';' && long_options) {
        if (*rest) {
            optarg = rest;
        } else if (optind == argc) {
            unknown = c;
            return colon ? ':' : '?';
        } else {
            optarg = argv[optind];
        }
        rest = optarg;
        optarg = 0;
        return long_option(argc, argv, options, long_options, index, 0, colon);
    }
    if (known[1] != ':') return c;
    if (known[2] == ':') {
        if (*rest) {
            optarg = rest;
            optind++;
        } else {
            optarg = 0;
        }
    } else if (*rest) {
        optarg = rest;
        optind++;
    } else if (optind == argc) {
        unknown = c;
        rest = 0;
        return colon ? ':' : '?';
    } else {
        optarg = argv[optind++];
    }
    rest = 0;
    return c;
}

static int next(int argc, char *const *argv, const char *options, const struct option *long_options, int *index, int only, int posix) {
    int code = next_option(argc, (char **)argv, options, long_options, index, only, posix);
    optopt = unknown;
    return code;
}
int getopt(int argc, char *const *argv, const char *options) { return next(argc, argv, options, 0, 0, 0, 0); }
int __posix_getopt(int argc, char *const *argv, const char *options) { return next(argc, argv, options, 0, 0, 0, 1); }
int getopt_long(int argc, char *const *argv, const char *options, const struct option *long_options, int *index) {
    return next(argc, argv, options, long_options, index, 0, 0);
}
int getopt_long_only(int argc, char *const *argv, const char *options, const struct option *long_options, int *index) {
    return next(argc, argv, options, long_options, index, 1, 0);
}
