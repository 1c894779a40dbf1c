/* fnmatch.h: patterns of the shell in the C locale.
 *
 * If the text does not go on as the pattern does, the last star takes one more character: earlier ones need not, because no star goes beyond a slash that the
 * pattern names.
 */

extern void __threadproof_unsupported(const char *);
extern int tolower(int);
extern int isalnum(int), isalpha(int), isblank(int), iscntrl(int), isdigit(int), isgraph(int), islower(int), isprint(int), ispunct(int), isspace(int), isupper(int), isxdigit(int);
extern int strncmp(const char *, const char *, __typeof__(sizeof(0)));

enum { PATHNAME = 1, NOESCAPE = 2, PERIOD = 4, LEADING_DIR = 8, CASEFOLD = 16, EXTMATCH = 32, NOMATCH = 1 };

static int folded(char c, int flags) { return flags & CASEFOLD ? tolower((unsigned char)c) : (unsigned char)c; }

static int is_named(const char *name, int length, int c) {
    static const struct { const char *name; int (*is)(int); } classes[12] = {
        { "alnum", isalnum }, { "alpha", isalpha }, { "blank", isblank }, { "cntrl", iscntrl }, { "digit", isdigit }, { "graph", isgraph },
        { "lower", islower }, { "print", isprint }, { "punct", ispunct }, { "space", isspace }, { "upper", isupper }, { "xdigit", isxdigit } };
    for (int i = 0; i < 12; i++)
        if (!strncmp(classes[i].name, name, length) && !classes[i].name[length]) return classes[i].is(c) != 0;
    __threadproof_unsupported("an unknown class of characters in a pattern");
    return 0;
}

/* What follows a bracket: returns behind its end and whether a character is in it, or null if it has no end. */
static const char *bracket(const char *pattern, char c, int flags, int *matches) {
    int negated = *pattern == '!' || *pattern == '^', found = 0, x = folded(c, flags);
    if (negated) pattern++;
    for (int first = 1; first || *pattern != ']'; first = 0) {
        if (!*pattern) return 0;
        if (*pattern == '/' && flags & PATHNAME) __threadproof_unsupported("a slash in a bracket of a pattern");
        if (*pattern == '[' && (pattern[1] == '.' || pattern[1] == '=')) __threadproof_unsupported("a collating element in a pattern");
        if (*pattern == '[' && pattern[1] == ':') {
            int length = 0;
            while (pattern[2 + length] >= 'a' && pattern[2 + length] <= 'z') length++;
            if (pattern[2 + length] == ':' && pattern[3 + length] == ']') {
                if (is_named(pattern + 2, length, (unsigned char)c) || (flags & CASEFOLD && is_named(pattern + 2, length, x))) found = 1;
                pattern += length + 4;
                continue;
            }
        }
        if (*pattern == '\\' && !(flags & NOESCAPE) && !*++pattern) return 0;
        int low = folded(*pattern++, flags), high = low;
        if (*pattern == '-' && pattern[1] && pattern[1] != ']') {
            pattern++;
            if (*pattern == '[') __threadproof_unsupported("a bracket in a range of a pattern");
            if (*pattern == '\\' && !(flags & NOESCAPE) && !*++pattern) return 0;
            high = folded(*pattern++, flags);
        }
        if (x >= low && x <= high) found = 1;
    }
    *matches = found != negated;
    return pattern + 1;
}

int fnmatch(const char *pattern, const char *text, int flags) {
    const char *start = text, *star = 0, *star_text = 0;
    if (flags & EXTMATCH) __threadproof_unsupported("extended patterns");
    for (;;) {
        int is_leading = *text == '.' && flags & PERIOD && (text == start || (flags & PATHNAME && text[-1] == '/')), matches;
        int is_slash = *text == '/' && flags & PATHNAME;
        const char *next = pattern + 1;
        if (*pattern == '*' && !is_leading) {
            while (*pattern == '*') pattern++;
            star = pattern;
            star_text = text;
            continue;
        }
        if (!*pattern) {
            matches = 0;
            if (!*text || (*text == '/' && flags & LEADING_DIR)) return 0;
        } else if (*pattern == '?') {
            matches = *text && !is_slash && !is_leading;
        } else if (*pattern == '[' && *text && (next = bracket(pattern + 1, *text, flags, &matches))) {
            matches = matches && !is_slash && !is_leading;
        } else {
            next = pattern + 1;
            if (*pattern == '\\' && !(flags & NOESCAPE)) {
                if (!pattern[1]) return NOMATCH;
                pattern++;
                next++;
            }
            matches = *text && *pattern != '*' && folded(*pattern, flags) == folded(*text, flags);
            if (matches && is_slash) star = 0;
        }
        if (matches) {
            pattern = next;
            text++;
            continue;
        }
        if (!star || !*star_text || (*star_text == '/' && flags & PATHNAME)) return NOMATCH;
        text = ++star_text;
        pattern = star;
    }
}
