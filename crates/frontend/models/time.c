/* time.h and sys/time.h. Clocks say anything in their range; a monotonic one never goes back. Calendar arithmetic in UTC is exact; the local
 * time zone is any, and one.
 */

typedef __typeof__(sizeof(0)) size_t;
typedef long time_t;
struct timespec { time_t seconds; long nanoseconds; };
struct timeval { time_t seconds; long microseconds; };
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern long __VERIFIER_nondet_long(void);
extern int __threadproof_some_int(void);
extern void __threadproof_unsupported(const char *);
extern int *__errno_location(void);
extern int snprintf(char *, size_t, const char *, ...);

enum { EINVAL_ = 22, EOVERFLOW_ = 75 };

/* ---- clocks -------------------------------------------------------------------------------------------------- */

/* The kernel's clock counts nanoseconds in 63 bits from 1970 on, and cannot be set before. */
static time_t any_second(void) {
    time_t now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= 0 && now <= (sizeof(time_t) == 8 ? (time_t)9223372036 : 0x7fffffff));
    return now;
}
static long any_fraction(long limit) {
    long fraction = __VERIFIER_nondet_long();
    __VERIFIER_assume(fraction >= 0 && fraction < limit);
    return fraction;
}

time_t time(time_t *result) {
    time_t now = any_second();
    if (result) *result = now;
    return now;
}
int gettimeofday(struct timeval *result, void *zone) {
    if (result) {
        result->seconds = any_second();
        result->microseconds = any_fraction(1000000);
    }
    return 0;
}

/* What clocks that never go back said last: all but CLOCK_REALTIME (0), its coarse twin (5), CLOCK_REALTIME_ALARM (8), and CLOCK_TAI (11). */
static struct timespec last[12];
static _Thread_local struct timespec last_of_thread; /* CLOCK_THREAD_CPUTIME_ID (3) */

/* A time that is not before the last one, which it becomes. */
static void advance(struct timespec *to, struct timespec *result) {
    time_t seconds = any_second();
    long nanoseconds = any_fraction(1000000000);
    __VERIFIER_assume(seconds > to->seconds || (seconds == to->seconds && nanoseconds >= to->nanoseconds));
    to->seconds = seconds;
    to->nanoseconds = nanoseconds;
    result->seconds = seconds;
    result->nanoseconds = nanoseconds;
}

int clock_gettime(int clock, struct timespec *result) {
    struct timespec now;
    if (clock < 0 || clock > 11 || clock == 10) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    if (clock == 0 || clock == 5 || clock == 8 || clock == 11) {
        now.seconds = any_second();
        now.nanoseconds = any_fraction(1000000000);
    } else if (clock == 3) {
        advance(&last_of_thread, &now);
    } else {
        __VERIFIER_atomic_begin();
        advance(&last[clock], &now);
        __VERIFIER_atomic_end();
    }
    result->seconds = now.seconds;
    result->nanoseconds = now.nanoseconds;
    return 0;
}
int clock_getres(int clock, struct timespec *result) {
    if (clock < 0 || clock > 11 || clock == 10) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    if (result) {
        result->seconds = 0;
        result->nanoseconds = any_fraction(1000000000);
        __VERIFIER_assume(result->nanoseconds > 0);
    }
    return 0;
}
int timespec_get(struct timespec *result, int base) {
    if (base != 1) return 0;
    result->seconds = any_second();
    result->nanoseconds = any_fraction(1000000000);
    return base;
}
/* Microseconds of processor time, which wrap around in 32 bits only. */
static long last_clock;
long clock(void) {
    long now = __VERIFIER_nondet_long();
    __VERIFIER_atomic_begin();
    __VERIFIER_assume(sizeof(long) == 4 || (now >= last_clock && now <= 9223372036854775));
    last_clock = now;
    __VERIFIER_atomic_end();
    return now;
}
double difftime(time_t later, time_t earlier) {
    long long l = later, e = earlier;
    return l < e ? -(double)((unsigned long long)e - (unsigned long long)l) : (double)((unsigned long long)l - (unsigned long long)e);
}

/* ---- the calendar -------------------------------------------------------------------------------------------- */

static int is_leap(long long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
static const short days_before[13] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };

/* Days from 1970 to the first of January of a year. */
static long long days_to_year(long long year) {
    long long y = year - 1, leaps = 0;
    leaps = (y >= 0 ? y / 4 : -((3 - y) / 4)) - (y >= 0 ? y / 100 : -((99 - y) / 100)) + (y >= 0 ? y / 400 : -((399 - y) / 400));
    return 365 * (year - 1970) + leaps - 477;
}

struct tm *gmtime_r(const time_t *time, struct tm *result) {
    long long t = *time, days = t / 86400, rest = t % 86400, year;
    if (rest < 0) {
        rest += 86400;
        days--;
    }
    year = 1970 + days * 400 / 146097; /* right, or off by one */
    while (days_to_year(year + 1) <= days) year++;
    while (days_to_year(year) > days) year--;
    if (year - 1900 != (int)(year - 1900)) {
        *__errno_location() = EOVERFLOW_;
        return 0;
    }
    int day = (int)(days - days_to_year(year)), month = 11;
    while (days_before[month] + (month >= 2 && is_leap(year)) > day) month--;
    result->tm_sec = (int)(rest % 60);
    result->tm_min = (int)(rest / 60 % 60);
    result->tm_hour = (int)(rest / 3600);
    result->tm_mday = day - (days_before[month] + (month >= 2 && is_leap(year))) + 1;
    result->tm_mon = month;
    result->tm_year = (int)(year - 1900);
    result->tm_wday = (int)((days % 7 + 11) % 7);
    result->tm_yday = day;
    result->tm_isdst = 0;
    result->tm_gmtoff = 0;
    result->tm_zone = "GMT";
    return result;
}
static struct tm broken_down; /* accessed plainly: calls in two threads race */
struct tm *gmtime(const time_t *time) { return gmtime_r(time, &broken_down); }

/* Seconds of a broken-down time; its fields may be out of range. */
static long long seconds_of(const struct tm *tm) {
    long long months = tm->tm_mon, year = 1900LL + tm->tm_year + (months >= 0 ? months / 12 : -((11 - months) / 12));
    int month = (int)(((months % 12) + 12) % 12);
    long long days = days_to_year(year) + days_before[month] + (month >= 2 && is_leap(year)) + (tm->tm_mday - 1LL);
    return ((days * 24 + tm->tm_hour) * 60 + tm->tm_min) * 60 + tm->tm_sec;
}
time_t timegm(struct tm *tm) {
    long long seconds = seconds_of(tm);
    time_t result = (time_t)seconds;
    if (result != seconds || !gmtime_r(&result, tm)) {
        *__errno_location() = EOVERFLOW_;
        return -1;
    }
    return result;
}

/* The time zone: at most 24 hours, here or there, the same in all calls; and perhaps an hour more in summer, which comes and goes as the library knows and we do not. */
static long zone;
static _Bool zone_is_known;
static long any_offset(void) {
    long offset;
    __VERIFIER_atomic_begin();
    if (!zone_is_known) {
        offset = __VERIFIER_nondet_long();
        __VERIFIER_assume(offset >= -86400 && offset <= 86400);
        zone = offset;
        zone_is_known = 1;
    }
    offset = zone;
    __VERIFIER_atomic_end();
    if (__VERIFIER_nondet_bool()) offset += (__threadproof_some_int() & 1) * 3600;
    return offset;
}
struct tm *localtime_r(const time_t *time, struct tm *result) {
    long offset = any_offset();
    time_t shifted = *time;
    if (shifted > (time_t)(~0UL >> 1) - 90000 || shifted < -(time_t)(~0UL >> 1) + 90000) {
        *__errno_location() = EOVERFLOW_;
        return 0;
    }
    shifted += offset;
    if (!gmtime_r(&shifted, result)) return 0;
    result->tm_isdst = __VERIFIER_nondet_bool();
    result->tm_gmtoff = offset;
    result->tm_zone = "UTC";
    return result;
}
struct tm *localtime(const time_t *time) { return localtime_r(time, &broken_down); }
time_t mktime(struct tm *tm) {
    long long seconds = seconds_of(tm);
    long offset = any_offset();
    time_t result = (time_t)(seconds - offset), shifted = (time_t)seconds;
    if (result != seconds - offset || shifted != seconds || !gmtime_r(&shifted, tm)) {
        *__errno_location() = EOVERFLOW_;
        return -1;
    }
    tm->tm_isdst = __VERIFIER_nondet_bool();
    tm->tm_gmtoff = offset;
    tm->tm_zone = "UTC";
    return result;
}
time_t timelocal(struct tm *tm) { return mktime(tm); }

static const char day_name[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
static const char month_name[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
static char *format(const struct tm *tm, char *out, size_t size) {
    if (tm->tm_year > 0x7fffffff - 1900) {
        *__errno_location() = EOVERFLOW_;
        return 0;
    }
    int n = snprintf(out, size, "%.3s %.3s%3d %.2d:%.2d:%.2d %d\n", tm->tm_wday < 0 || tm->tm_wday > 6 ? "???" : day_name[tm->tm_wday],
                     tm->tm_mon < 0 || tm->tm_mon > 11 ? "???" : month_name[tm->tm_mon], tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec,
                     1900 + tm->tm_year);
    if (n < 0 || (size_t)n >= size) {
        *__errno_location() = EOVERFLOW_;
        return 0;
    }
    return out;
}
static char text[114];
char *asctime_r(const struct tm *tm, char *out) { return format(tm, out, 26); }
char *asctime(const struct tm *tm) { return format(tm, text, sizeof text); }
char *ctime_r(const time_t *time, char *out) {
    struct tm tm;
    return localtime_r(time, &tm) ? asctime_r(&tm, out) : 0;
}
char *ctime(const time_t *time) {
    struct tm *tm = localtime(time);
    return tm ? asctime(tm) : 0;
}

/* ---- sleeping: takes no time. Where handlers are installed, lowering lets them interrupt it ----------------------- */

static int is_time(const struct timespec *time) {
    return time->seconds >= 0 && time->nanoseconds >= 0 && time->nanoseconds < 1000000000;
}
int nanosleep(const struct timespec *time, struct timespec *left) {
    if (is_time(time)) return 0;
    *__errno_location() = EINVAL_;
    return -1;
}
int clock_nanosleep(int clock, int flags, const struct timespec *time, struct timespec *left) {
    return clock < 0 || clock > 11 || clock == 3 || !is_time(time) ? EINVAL_ : 0;
}
int thrd_sleep(const struct timespec *time, struct timespec *left) { return is_time(time) ? 0 : -2; }

/* ---- strftime in the C locale ---------------------------------------------------------------------------------- */

static const char *const full_day[7] = { "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday" };
static const char *const full_month[12] = { "January", "February", "March", "April", "May", "June",
                                            "July", "August", "September", "October", "November", "December" };

struct page {
    char *out;
    size_t room, n;
};
static void put(struct page *page, char c) {
    if (page->n < page->room) page->out[page->n] = c;
    page->n++;
}
static void put_text(struct page *page, const char *s) {
    while (*s) put(page, *s++);
}
/* A number of at least `width` digits, filled up with `fill`. */
static void put_number(struct page *page, long long value, int width, char fill) {
    char digits[24];
    int n = 0;
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    if (value < 0) {
        put(page, '-');
        width--;
    }
    do {
        digits[n++] = '0' + (char)(rest % 10);
        rest /= 10;
    } while (rest);
    for (; width > n; width--) put(page, fill);
    while (n > 0) put(page, digits[--n]);
}

/* The week of the year by ISO 8601: 0 if the day belongs to the last week of the year before. */
static int iso_week(int year_day, int week_day) { return (year_day - (week_day + 6) % 7 + 9) / 7; }
static int weeks_of(long long year) {
    long long day = ((days_to_year(year) + 4) % 7 + 7) % 7; /* the week-day of the first of January */
    return day == 4 || (day == 3 && is_leap(year)) ? 53 : 52;
}
static void put_iso(struct page *page, char conversion, const struct tm *tm) {
    long long year = tm->tm_year + 1900LL;
    int week = iso_week(tm->tm_yday + 1, tm->tm_wday);
    if (week < 1) {
        year--;
        week = weeks_of(year);
    } else if (week > weeks_of(year)) {
        year++;
        week = 1;
    }
    if (conversion == 'V') put_number(page, week, 2, '0');
    else if (conversion == 'G') put_number(page, year, 1, '0');
    else put_number(page, (year % 100 + 100) % 100, 2, '0');
}
static void put_clock(struct page *page, const struct tm *tm, int seconds) {
    put_number(page, tm->tm_hour, 2, '0');
    put(page, ':');
    put_number(page, tm->tm_min, 2, '0');
    if (!seconds) return;
    put(page, ':');
    put_number(page, tm->tm_sec, 2, '0');
}
static int twelve(int hour) { return hour % 12 == 0 ? 12 : hour > 12 ? hour - 12 : hour; }
static void put_date(struct page *page, const struct tm *tm) {
    put_number(page, tm->tm_mon + 1LL, 2, '0');
    put(page, '/');
    put_number(page, tm->tm_mday, 2, '0');
    put(page, '/');
    put_number(page, ((tm->tm_year + 1900LL) % 100 + 100) % 100, 2, '0');
}
static void put_zone(struct page *page, const struct tm *tm) {
    long offset = tm->tm_gmtoff;
    if (tm->tm_isdst < 0) return;
    put(page, offset < 0 ? '-' : '+');
    if (offset < 0) offset = -offset;
    offset /= 60;
    put_number(page, offset / 60 * 100 + offset % 60, 4, '0');
}
static const char *name_of(const char *const *names, int n, int limit) { return n < 0 || n >= limit ? "?" : names[n]; }
static void put_short(struct page *page, const char *name) {
    for (int i = 0; i < 3 && name[i]; i++) put(page, name[i]);
}

static void put_field(struct page *page, char conversion, const struct tm *tm) {
    long long year = tm->tm_year + 1900LL;
    switch (conversion) {
    case '%': put(page, '%'); return;
    case 'n': put(page, '\n'); return;
    case 't': put(page, '\t'); return;
    case 'a': put_short(page, name_of(full_day, tm->tm_wday, 7)); return;
    case 'A': put_text(page, name_of(full_day, tm->tm_wday, 7)); return;
    case 'b':
    case 'h': put_short(page, name_of(full_month, tm->tm_mon, 12)); return;
    case 'B': put_text(page, name_of(full_month, tm->tm_mon, 12)); return;
    case 'C': put_number(page, year / 100 - (year % 100 < 0), 2, '0'); return;
    case 'd': put_number(page, tm->tm_mday, 2, '0'); return;
    case 'e': put_number(page, tm->tm_mday, 2, ' '); return;
    case 'D':
    case 'x': put_date(page, tm); return;
    case 'F':
        put_number(page, year, 1, '0');
        put(page, '-');
        put_number(page, tm->tm_mon + 1LL, 2, '0');
        put(page, '-');
        put_number(page, tm->tm_mday, 2, '0');
        return;
    case 'G':
    case 'g':
    case 'V': put_iso(page, conversion, tm); return;
    case 'H': put_number(page, tm->tm_hour, 2, '0'); return;
    case 'k': put_number(page, tm->tm_hour, 2, ' '); return;
    case 'I': put_number(page, twelve(tm->tm_hour), 2, '0'); return;
    case 'l': put_number(page, twelve(tm->tm_hour), 2, ' '); return;
    case 'j': put_number(page, tm->tm_yday + 1LL, 3, '0'); return;
    case 'm': put_number(page, tm->tm_mon + 1LL, 2, '0'); return;
    case 'M': put_number(page, tm->tm_min, 2, '0'); return;
    case 'p': put_text(page, tm->tm_hour > 11 ? "PM" : "AM"); return;
    case 'P': put_text(page, tm->tm_hour > 11 ? "pm" : "am"); return;
    case 'R': put_clock(page, tm, 0); return;
    case 'T':
    case 'X': put_clock(page, tm, 1); return;
    case 'S': put_number(page, tm->tm_sec, 2, '0'); return;
    case 'u': put_number(page, (tm->tm_wday + 6) % 7 + 1, 1, '0'); return;
    case 'w': put_number(page, tm->tm_wday, 1, '0'); return;
    case 'U': put_number(page, (tm->tm_yday - tm->tm_wday + 7) / 7, 2, '0'); return;
    case 'W': put_number(page, (tm->tm_yday - (tm->tm_wday + 6) % 7 + 7) / 7, 2, '0'); return;
    case 'y': put_number(page, (year % 100 + 100) % 100, 2, '0'); return;
    case 'Y': put_number(page, year, 1, '0'); return;
    case 'z': put_zone(page, tm); return;
    case 'Z': put_text(page, tm->tm_zone ? tm->tm_zone : ""); return;
    case 'r':
        put_number(page, twelve(tm->tm_hour), 2, '0');
        put(page, ':');
        put_number(page, tm->tm_min, 2, '0');
        put(page, ':');
        put_number(page, tm->tm_sec, 2, '0');
        put_text(page, tm->tm_hour > 11 ? " PM" : " AM");
        return;
    case 'c':
        put_short(page, name_of(full_day, tm->tm_wday, 7));
        put(page, ' ');
        put_short(page, name_of(full_month, tm->tm_mon, 12));
        put(page, ' ');
        put_number(page, tm->tm_mday, 2, ' ');
        put(page, ' ');
        put_clock(page, tm, 1);
        put(page, ' ');
        put_number(page, year, 1, '0');
        return;
    }
    __threadproof_unsupported("a conversion of strftime that has no model");
}
size_t strftime(char *out, size_t max, const char *format, const struct tm *tm) {
    struct page page = { out, max, 0 };
    for (; *format; format++) {
        if (*format != '%') {
            put(&page, *format);
            continue;
        }
        format++;
        if (*format == 'E' || *format == 'O') format++;
        put_field(&page, *format, tm);
    }
    if (page.n >= max) return 0;
    out[page.n] = 0;
    return page.n;
}
