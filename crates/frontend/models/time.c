/* time.h and sys/time.h. Clocks say anything in their range; a monotonic one never goes back. Calendar arithmetic in UTC is exact; the local
 * time zone is any.
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
extern char __VERIFIER_nondet_char(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
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

static int is_settable(int clock) { return clock == 0 || clock == 5 || clock == 8 || clock == 11; }

/* Sets `to` to a time that is not before it. */
static void advance(struct timespec *to) {
    time_t seconds = any_second();
    long nanoseconds = any_fraction(1000000000);
    __VERIFIER_assume(seconds > to->seconds || (seconds == to->seconds && nanoseconds >= to->nanoseconds));
    to->seconds = seconds;
    to->nanoseconds = nanoseconds;
}

int clock_gettime(int clock, struct timespec *result) {
    struct timespec now;
    if (clock < 0 || clock > 11 || clock == 10) {
        *__errno_location() = EINVAL_;
        return -1;
    }
    if (is_settable(clock)) {
        now.seconds = any_second();
        now.nanoseconds = any_fraction(1000000000);
    } else if (clock == 3) {
        advance(&last_of_thread);
        now = last_of_thread;
    } else {
        __VERIFIER_atomic_begin();
        advance(&last[clock]);
        now = last[clock];
        __VERIFIER_atomic_end();
    }
    *result = now;
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

/* A time zone: at most 24 hours, here or there, and perhaps in summer. */
static long any_offset(void) {
    long offset = __VERIFIER_nondet_long();
    __VERIFIER_assume(offset >= -90000 && offset <= 90000);
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
/* Any text that fits, or none. */
size_t strftime(char *out, size_t max, const char *format, const struct tm *tm) {
    struct tm read = *tm;
    while (*format) format++;
    size_t n = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(n < max || n == 0);
    for (size_t i = 0; i < n; i++) {
        out[i] = __VERIFIER_nondet_char();
        __VERIFIER_assume(out[i] != 0);
    }
    if (max > 0) out[n] = 0;
    return n;
}
