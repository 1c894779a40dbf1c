/* strptime in the C locale, as glibc does it: fields that the format does not name stay as they are, but the days of the week and of the year are computed from a date. */

extern void __threadproof_unsupported(const char *);
extern int tolower(int), isspace(int);

struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
static const char *const days[7] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const char *const months[12] = { "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December" };
static const char *const halves[2] = { "AM", "PM" };

static int has_prefix(const char *text, const char *word, int length) {
    for (int i = 0; i < length; i++)
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)word[i])) return 0;
    return 1;
}
/* The number of the name that a text begins with, in full or by three letters, or -1. */
static int name_in(const char **text, const char *const *names, int n) {
    for (int i = 0; i < n; i++) {
        int length = 0;
        while (names[i][length]) length++;
        if (!has_prefix(*text, names[i], length)) {
            if (length <= 3 || !has_prefix(*text, names[i], 3)) continue;
            length = 3;
        }
        *text += length;
        return i;
    }
    return -1;
}
/* A number of at most `digits` digits, or -1. */
static int number_in(const char **text, int low, int high, int digits) {
    int value = 0;
    while (**text == ' ') ++*text;
    if (**text < '0' || **text > '9') return -1;
    do value = value * 10 + (*(*text)++ - '0');
    while (--digits > 0 && value * 10 <= high && **text >= '0' && **text <= '9');
    return value < low || value > high ? -1 : value;
}
static const char *expansion(char conversion) {
    switch (conversion) {
    case 'D':
    case 'x': return "%m/%d/%y";
    case 'T':
    case 'X': return "%H:%M:%S";
    case 'R': return "%H:%M";
    case 'F': return "%Y-%m-%d";
    case 'r': return "%I:%M:%S %p";
    case 'c': return "%a %b %e %H:%M:%S %Y";
    }
    return 0;
}

struct known { int month, month_day, week_day, year_day, wanted, twelve, afternoon; };

/* Returns the value of a field, or -1. */
static int field(const char **text, char conversion, struct tm *tm, struct known *known) {
    int value;
    switch (conversion) {
    case 'a':
    case 'A': value = name_in(text, days, 7); if (value >= 0) tm->tm_wday = value, known->week_day = 1; return value;
    case 'b':
    case 'B':
    case 'h': value = name_in(text, months, 12); if (value >= 0) tm->tm_mon = value, known->month = known->wanted = 1; return value;
    case 'p': value = name_in(text, halves, 2); if (value >= 0) known->afternoon = value; return value;
    case 'd':
    case 'e': value = number_in(text, 1, 31, 2); if (value >= 0) tm->tm_mday = value, known->month_day = known->wanted = 1; return value;
    case 'm': value = number_in(text, 1, 12, 2); if (value >= 0) tm->tm_mon = value - 1, known->month = known->wanted = 1; return value;
    case 'Y': value = number_in(text, 0, 9999, 4); if (value >= 0) tm->tm_year = value - 1900, known->wanted = 1; return value;
    case 'y': value = number_in(text, 0, 99, 2); if (value >= 0) tm->tm_year = value >= 69 ? value : value + 100, known->wanted = 1; return value;
    case 'H':
    case 'k': value = number_in(text, 0, 23, 2); if (value >= 0) tm->tm_hour = value, known->twelve = 0; return value;
    case 'I':
    case 'l': value = number_in(text, 1, 12, 2); if (value >= 0) tm->tm_hour = value % 12, known->twelve = 1; return value;
    case 'M': value = number_in(text, 0, 59, 2); if (value >= 0) tm->tm_min = value; return value;
    case 'S': value = number_in(text, 0, 61, 2); if (value >= 0) tm->tm_sec = value; return value;
    case 'j': value = number_in(text, 1, 366, 3); if (value >= 0) tm->tm_yday = value - 1, known->year_day = 1; return value;
    case 'u': value = number_in(text, 1, 7, 1); if (value >= 0) tm->tm_wday = value % 7, known->week_day = 1; return value;
    case 'w': value = number_in(text, 0, 6, 1); if (value >= 0) tm->tm_wday = value, known->week_day = 1; return value;
    }
    __threadproof_unsupported("a conversion of strptime that has no model");
    return -1;
}

static int is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
/* How many days of the year are before a month. */
static int days_before(int month, int year) {
    static const short before[13] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };
    return before[month] + (month > 1 && is_leap(year));
}
static void compute_days(struct tm *tm, const struct known *known) {
    int year = tm->tm_year + 1900, has_month = known->month, past = year - 1;
    if (!known->wanted) return;
    if (!known->week_day) {
        if (!(known->month && known->month_day) && known->year_day) {
            int month = 0;
            while (days_before(month, year) <= tm->tm_yday) month++;
            if (!known->month) tm->tm_mon = month - 1;
            if (!known->month_day) tm->tm_mday = tm->tm_yday - days_before(month - 1, year) + 1;
            has_month = 1;
        }
        if (has_month || (unsigned)tm->tm_mon <= 11) {
            int day = days_before(tm->tm_mon, year) + tm->tm_mday - 1 + 365 * (year - 1970) + (past / 4 - past / 100 + past / 400) - 477;
            tm->tm_wday = ((day + 4) % 7 + 7) % 7;
        }
    }
    if (!known->year_day && (has_month || (unsigned)tm->tm_mon <= 11)) tm->tm_yday = days_before(tm->tm_mon, year) + tm->tm_mday - 1;
}

char *strptime(const char *text, const char *format, struct tm *tm) {
    struct known known = { 0 };
    const char *rest = 0, *longer;
    for (;;) {
        if (!*format && rest) {
            format = rest;
            rest = 0;
        }
        if (!*format) break;
        if (isspace((unsigned char)*format)) {
            while (isspace((unsigned char)*text)) text++;
            format++;
            continue;
        }
        if (*format != '%') {
            if (*format++ != *text++) return 0;
            continue;
        }
        char conversion = format[1];
        if (!conversion || conversion == 'E' || conversion == 'O' || conversion == '-' || conversion == '_' || conversion == '0' || conversion == '^' || conversion == '#')
            __threadproof_unsupported("a modified conversion of strptime");
        format += 2;
        if (conversion == '%') {
            if (*text++ != '%') return 0;
        } else if (conversion == 'n' || conversion == 't') {
            while (isspace((unsigned char)*text)) text++;
        } else if ((longer = expansion(conversion))) {
            rest = format;
            format = longer;
        } else if (field(&text, conversion, tm, &known) < 0) {
            return 0;
        }
    }
    if (known.twelve && known.afternoon) tm->tm_hour += 12;
    compute_days(tm, &known);
    return (char *)text;
}
