/* What every trial may use: headers, makers of arguments, and the process that each call runs in. */
#define _GNU_SOURCE
#define __STDC_WANT_IEC_60559_BFP_EXT__ 1
#include <aio.h>
#include <aliases.h>
#include <argz.h>
#include <arpa/inet.h>
#include <assert.h>
#include <byteswap.h>
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <endian.h>
#include <envz.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <execinfo.h>
#include <fcntl.h>
#include <fenv.h>
#include <fmtmsg.h>
#include <fnmatch.h>
#include <fstab.h>
#include <ftw.h>
#include <glob.h>
#include <gnu/libc-version.h>
#include <grp.h>
#include <gshadow.h>
#include <iconv.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <langinfo.h>
#include <libintl.h>
#include <limits.h>
#include <link.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <mcheck.h>
#include <mntent.h>
#include <monetary.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <nl_types.h>
#include <obstack.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <pwd.h>
#include <regex.h>
#include <resolv.h>
#include <sched.h>
#include <search.h>
#include <setjmp.h>
#include <shadow.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/fsuid.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <syslog.h>
#include <termios.h>
#include <threads.h>
#include <time.h>
#include <ttyent.h>
#include <uchar.h>
#include <ucontext.h>
#include <unistd.h>
#include <utime.h>
#include <utmp.h>
#include <utmpx.h>
#include <wchar.h>
#include <wctype.h>
#include <wordexp.h>
#define SIZE 16384
#define obstack_chunk_alloc malloc
#define obstack_chunk_free free
/* The exit status of calls that do not return. */
#define ENDED 9
#define TEMPLATE "tmp." "XX" "XX" "XX"
extern int __cxa_atexit(void (*)(void *), void *, void *);
extern long int __fdelt_warn(long int) __asm__("__fdelt_chk");
static const char *subject;
static const double reals[] = {0.0, 1.5, -1.0, 1e308};
static const long sizes[] = {0, 2, 40, 500}, counts[] = {1, 3, 5, 8};
static int number;
static char word[1024];
static wchar_t wide_word[64] = L"a b1";
static FILE *report;
static void bad(const char *what) { fprintf(report, "BAD %s: %s\n", subject, what); fflush(report); _exit(1); }
static void text(unsigned char *b, int k) {
    static const char *const texts[] = {"", "12", "a b1", "127.0.0.1"};
    memset(b, 0, SIZE); strcpy((char *)b, texts[k]);
}
static void wtext(unsigned char *b, int k) {
    static const wchar_t *const texts[] = {L"", L"12", L"a b1", L"7"};
    memset(b, 0, SIZE); wcscpy((wchar_t *)b, texts[k]);
}
static void changed(const unsigned char *b, const unsigned char *c, size_t allowed, const char *what) {
    for (size_t i = allowed; i < SIZE; i++) if (b[i] != c[i]) bad(what);
}
static FILE *stream(const char *contents) {
    FILE *f = tmpfile(); fputs(contents, f); rewind(f); return f;
}
static int descriptor(void) { int d = open("12", O_RDWR | O_CREAT, 0600); write(d, "12 ab", 5); lseek(d, 0, SEEK_SET); return d; }
static int pipe_end(int n) { static int ends[2]; if (!ends[1]) { pipe(ends); write(ends[1], "abc", 3); } return ends[n]; }
static int event(void) { return eventfd(1, EFD_NONBLOCK); }
static int terminal(void) { int t = posix_openpt(O_RDWR | O_NOCTTY); grantpt(t); unlockpt(t); return t; }
static int polled(void) { int e = epoll_create1(0); struct epoll_event v = {EPOLLIN}; epoll_ctl(e, EPOLL_CTL_ADD, event(), &v); return e; }
static int socket_end(int n) {
    static int ends[2];
    if (!ends[1]) { socketpair(AF_UNIX, SOCK_STREAM, 0, ends); write(ends[1], "abc", 3); write(ends[0], "abc", 3); }
    return ends[n];
}
static timer_t a_timer(void) { timer_t t; struct sigevent e = {.sigev_notify = SIGEV_NONE}; timer_create(CLOCK_REALTIME, &e, &t); return t; }
static locale_t a_locale(void) { return newlocale(LC_ALL_MASK, "C", 0); }
static struct obstack *an_obstack(void) { static struct obstack o; obstack_init(&o); obstack_grow(&o, "ab", 2); return &o; }
static regex_t *expression(void) { static regex_t r; regcomp(&r, "1\\(2\\)", 0); return &r; }
static posix_spawnattr_t *spawn_attributes(void) { static posix_spawnattr_t a; posix_spawnattr_init(&a); return &a; }
static posix_spawn_file_actions_t *spawn_actions(void) { static posix_spawn_file_actions_t a; posix_spawn_file_actions_init(&a); return &a; }
static pthread_attr_t *thread_attributes(void) { static pthread_attr_t a; pthread_attr_init(&a); return &a; }
static pthread_mutex_t *a_mutex(void) {
    static pthread_mutex_t m; pthread_mutexattr_t a; pthread_mutexattr_init(&a);
    pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT); pthread_mutex_init(&m, &a); return &m;
}
static struct iovec *vector(void) { static char b[2][8]; static struct iovec v[2] = {{b[0], 8}, {b[1], 8}}; return v; }
static struct msghdr *message(void) { static struct msghdr m; m.msg_iov = vector(); m.msg_iovlen = 2; return &m; }
static struct mmsghdr *messages(void) { static struct mmsghdr m[2]; m[0].msg_hdr = m[1].msg_hdr = *message(); return m; }
static struct aiocb *request(void) { static char b[8]; static struct aiocb c; c.aio_fildes = descriptor(); c.aio_buf = b; c.aio_nbytes = 8; return &c; }
static struct aiocb *done_request(void) { struct aiocb *c = request(); aio_read(c); while (aio_error(c) == EINPROGRESS) usleep(100); return c; }
static struct sockaddr *address(void) { static struct sockaddr_in a; a.sin_family = AF_INET; a.sin_addr.s_addr = htonl(INADDR_LOOPBACK); return (struct sockaddr *)&a; }
static struct random_data *random_state(void) { static struct random_data d; static char s[64]; initstate_r(1, s, 64, &d); return &d; }
static char *random_buffer(void) { static char s[128]; initstate(1, s, 128); return s; }
static struct hsearch_data *table(void) { static struct hsearch_data h; hcreate_r(8, &h); return &h; }
static struct drand48_data *drand_state(void) { static struct drand48_data d; srand48_r(1, &d); return &d; }
static char **argz(size_t *n) { static char *a; argz_create_sep("a=1:b=2:c", ':', &a, n); return &a; }
static size_t argz_length;
static struct hdr_node { LIST_ENTRY(hdr_node) l; SLIST_ENTRY(hdr_node) s; STAILQ_ENTRY(hdr_node) st; TAILQ_ENTRY(hdr_node) t; } nodes[4];
static LIST_HEAD(, hdr_node) list; static SLIST_HEAD(, hdr_node) slist;
static STAILQ_HEAD(stail, hdr_node) stailq; static TAILQ_HEAD(tail, hdr_node) tailq;
static CIRCLEQ_HEAD(circle, hdr_node) circleq;
static void lists(void) {
    LIST_INIT(&list); SLIST_INIT(&slist); STAILQ_INIT(&stailq); TAILQ_INIT(&tailq);
    LIST_INSERT_HEAD(&list, nodes, l); SLIST_INSERT_HEAD(&slist, nodes, s); STAILQ_INSERT_HEAD(&stailq, nodes, st); TAILQ_INSERT_HEAD(&tailq, nodes, t);
}
static struct cmsghdr *control(void) {
    static char b[128]; struct msghdr *m = message(); m->msg_control = b; m->msg_controllen = sizeof b;
    struct cmsghdr *c = CMSG_FIRSTHDR(m); c->cmsg_len = CMSG_LEN(4); return c;
}
static const struct dirent **entry(const char *name) { static struct dirent d[2]; static const struct dirent *p[2]; static int n; n = !n; strcpy(d[n].d_name, name); p[n] = &d[n]; return &p[n]; }
static int compare_bytes(const void *l, const void *r) { return *(const char *)l - *(const char *)r; }
static int visit(const char *p, const struct stat *s, int flag) { return 0; }
static int visit_more(const char *p, const struct stat *s, int flag, struct FTW *f) { return 0; }
static int visit_object(struct dl_phdr_info *i, size_t n, void *d) { return 0; }
static void nothing(void) { }
static void nothing_of(void *p) { }
static void nothing_on(int s) { }
static int finish(void *p) { return 0; }
static cookie_io_functions_t cookie;
static void *page(void) { return mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static char *arguments[] = {"true", 0};
static glob_t globbed; static wordexp_t words; static fenv_t environment; static femode_t modes; static fexcept_t flags; static fpos_t position; static ucontext_t context;
static struct mntent mount_entry = {"a", "b", "c", "rw,noauto", 0, 0};
static struct group a_group = {"g", "x", 7, arguments}; static struct passwd a_user = {"u", "x", 7, 7, "g", "d", "s"};
static struct sgrp a_shadow_group = {"g", "x", arguments, arguments}; static struct spwd a_shadow = {"u", "x", 1, 2, 3, 4, 5, 6, 7};
typedef void trial(int k, ...);
static void run(const char *name, trial *f) {
    for (int k = 0; k < 4; k++) {
        pid_t p = fork();
        if (p == 0) {
            subject = name; report = fdopen(dup(1), "w"); fcntl(fileno(report), F_SETFD, 1);
            freopen("/dev/null", "r", stdin); freopen("/dev/null", "w", stdout); freopen("/dev/null", "w", stderr);
            close(descriptor()); mkdir("a b1", 0700); lists();
            alarm(2); f(k, 7, "ab"); fclose(report); _exit(0);
        }
        int status = 0; waitpid(p, &status, 0);
        if (WIFSIGNALED(status)) printf("SKIP %s %d %d\n", name, k, WTERMSIG(status)); else if (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == ENDED) printf("OK %s %d\n", name, k);
        fflush(stdout);
    }
}
