//! The library's table against the library: rows of functions that are harmless to run are called natively, and what is observed must lie
//! within what the row says.
//!
//! For each row a C function is generated that calls it with valid arguments: strings where it reads strings, blocks of bytes
//! where it reads or writes blocks, small numbers elsewhere. Then it checks that
//!
//! * blocks changed only where the row says so,
//! * the result is one of the row's alternatives,
//! * `errno` changed only if the row says so.
//!
//! Each call runs in a process of its own, so that one that crashes or hangs is only skipped. A few rows are tried by default;
//! `THREADPROOF_LIBRARY_ROWS=all` tries all of them. Without a C compiler the test says so and passes.

#[path = "library_rows/names.rs"]
mod names;

use frontend::library::row::{Bound, Effect, Extent, Factor, Row, Value};
use frontend::library::rows;
use names::{HARMLESS, NOT};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <aio.h>
#include <argz.h>
#include <arpa/inet.h>
#include <byteswap.h>
#include <complex.h>
#include <ctype.h>
#include <dirent.h>
#include <endian.h>
#include <envz.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <grp.h>
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/timex.h>
#include <termios.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>
#include <wctype.h>
#define SIZE 1024
static const char *subject;
static const double reals[] = {0.0, 1.5, -1.0, 1e308};
static void bad(const char *what) { printf("BAD %s: %s\n", subject, what); fflush(stdout); _exit(1); }
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
static void run(const char *name, void (*f)(int)) {
    for (int k = 0; k < 4; k++) {
        pid_t p = fork();
        if (p == 0) { subject = name; alarm(2); f(k); _exit(0); }
        int status = 0; waitpid(p, &status, 0);
        if (WIFSIGNALED(status)) printf("SKIP %s %d\n", name, k); else if (WEXITSTATUS(status) == 0) printf("OK %s %d\n", name, k);
        fflush(stdout);
    }
}
"#;

/// More names of scalar types.
const MORE: &[&str] = &[
    "char16_t",
    "char32_t",
    "dev_t",
    "gid_t",
    "nfds_t",
    "off_t",
    "pid_t",
    "pthread_t",
    "socklen_t",
    "speed_t",
    "ssize_t",
    "uid_t",
    "uint64_t",
    "useconds_t",
    "wctrans_t",
    "wctype_t",
];

/// The types of parameters, as C text; `None` if there is one that cannot be made up.
fn parameters<'t>(name: &str, prototype: &'t str) -> Option<Vec<&'t str>> {
    let start = prototype.find(&format!("{name}("))? + name.len() + 1;
    let inside = prototype[start..].strip_suffix(')')?;
    if inside.contains('(') || inside.contains("...") {
        return None;
    }
    let scalars = [
        "int", "long", "unsigned", "size_t", "char", "double", "float", "wint_t", "wchar_t", "time_t",
        "short",
    ];
    let scalars = [
        &scalars[..],
        &["clockid_t", "uint32_t", "uint16_t", "in_addr_t", "mode_t", "id_t", "nl_item"],
        MORE,
    ]
    .concat();
    let all: Vec<&str> = inside.split(',').map(str::trim).filter(|p| !p.is_empty() && *p != "void").collect();
    let fine = |p: &&str| p.contains(['*', '[']) || p.split(' ').any(|word| scalars.contains(&word));
    all.iter().all(fine).then_some(all)
}

fn pointer_type(parameter: &str) -> Option<String> {
    match (parameter.rfind('*'), parameter.find('[')) {
        (Some(star), _) => Some(parameter[..=star].to_owned()),
        (None, Some(_)) => Some(format!("{} *", parameter.split(' ').next()?)),
        (None, None) => None,
    }
}

fn factor(f: &Factor, ty: &str) -> String {
    match f {
        Factor::Number(n) => n.to_string(),
        Factor::Arg(n) => format!("(size_t)v{n}"),
        Factor::Pointee(n) => format!("(size_t)*(unsigned *)b{n}"),
        Factor::Object => format!("sizeof(*({ty})0)"),
    }
}

/// A C function that tries a row; `None` if arguments for it are not known.
fn trial(name: &str, row: &Row<'_>) -> Option<String> {
    let parameters = parameters(name, row.prototype)?;
    let mut code = format!("#line 1 \"try_{name}\"\nstatic void try_{name}(int k) {{\n");
    let (mut args, mut checks) = (Vec::new(), String::new());
    for (n, parameter) in parameters.iter().enumerate() {
        let n = n + 1;
        let Some(ty) = pointer_type(parameter) else {
            let real = ["double", "float"].iter().any(|word| parameter.contains(word));
            match real {
                true => writeln!(code, "    double v{n} = reals[k];").ok()?,
                false => {
                    writeln!(code, "    long v{n} = k; unsigned char *b{n} = (unsigned char *)v{n};").ok()?
                }
            }
            args.push(format!("v{n}"));
            continue;
        };
        let (mut fill, mut allowed) = (format!("memset(b{n}, 0, SIZE)"), "0".to_owned());
        let mut known = false;
        for effect in &row.effects {
            match effect {
                Effect::Access { arg, writes, extent, .. } if *arg == n => {
                    known = true;
                    match extent {
                        Extent::Text { wide: false, .. } => fill = format!("text(b{n}, k)"),
                        Extent::Text { wide: true, .. } => fill = format!("wtext(b{n}, k)"),
                        Extent::Bytes(factors) if *writes => {
                            let factors: Vec<String> = factors.iter().map(|f| factor(f, &ty)).collect();
                            allowed = factors.join(" * ");
                        }
                        Extent::Bytes(_) => {}
                        Extent::Deep => return None,
                    }
                    if *writes && matches!(extent, Extent::Text { .. }) {
                        "SIZE".clone_into(&mut allowed);
                    }
                }
                Effect::Set { arg, .. } if *arg == n => {
                    (known, allowed) = (true, format!("sizeof(*({ty})0)"))
                }
                _ => {}
            }
        }
        if !known {
            return None;
        }
        writeln!(code, "    unsigned char b{n}[SIZE], c{n}[SIZE]; {fill}; memcpy(c{n}, b{n}, SIZE);").ok()?;
        writeln!(checks, "    changed(b{n}, c{n}, {allowed}, \"argument {n} was written\");").ok()?;
        args.push(format!("({ty})b{n}"));
    }
    let call = format!("{name}({})", args.join(", "));
    match &row.returns[..] {
        [Value::Void] => writeln!(code, "    errno = 77; {call};").ok()?,
        values => {
            writeln!(code, "    errno = 77; __auto_type r = {call};").ok()?;
            if let Some(condition) = result_condition(values) {
                writeln!(checks, "    if (!({condition})) bad(\"result\");").ok()?;
            }
        }
    }
    if !row.flags.errno {
        checks += "    if (errno != 77) bad(\"errno\");\n";
    }
    Some(format!("{code}{checks}}}\n"))
}

/// That the result is one of some values; `None` if that says nothing.
fn result_condition(values: &[Value<'_>]) -> Option<String> {
    let conditions = values.iter().map(|value| match value {
        Value::Range(low, high) => {
            let low = low.map_or("1".to_owned(), |low| format!("(long long)r >= {low}LL"));
            let high = match high {
                Some(Bound::Number(high)) => format!("(long long)r <= {high}LL"),
                Some(Bound::Arg(n, minus)) => format!("(long long)r <= (long long)v{n} - {minus}"),
                None => "1".to_owned(),
            };
            Some(format!("({low} && {high})"))
        }
        Value::ErrorNumber => Some("((long long)r > 0 && (long long)r < 4096)".to_owned()),
        Value::Null => Some("(long long)r == 0".to_owned()),
        Value::Arg(n) => Some(format!("(char *)r == (char *)b{n}")),
        Value::Inside(n) => Some(format!("((char *)r >= (char *)b{n} && (char *)r < (char *)b{n} + SIZE)")),
        _ => None,
    });
    conditions.collect::<Option<Vec<String>>>().map(|all| all.join(" || "))
}

fn is_harmless(name: &str, row: &Row<'_>) -> bool {
    HARMLESS.iter().any(|start| name.starts_with(start))
        && !NOT.contains(&name)
        && !name.ends_with("_l")
        && !name.ends_with("_s")
        && !row.flags.doubtful
        && row.effects.iter().all(|effect| matches!(effect, Effect::Access { .. } | Effect::Set { .. }))
}

/// Compiles the trials, leaving out those that this system does not have or that are no C: macros with types as arguments.
fn compile(directory: &Path, trials: &mut Vec<(&str, String)>) -> PathBuf {
    let (file, binary) = (directory.join("rows.c"), directory.join("rows"));
    for _ in 0..8 {
        let mut source = PRELUDE.to_owned();
        trials.iter().for_each(|(_, code)| source += code);
        source += "#line 1 \"main\"\nint main(void) {\n";
        trials.iter().for_each(|(name, _)| source += &format!("    run(\"{name}\", try_{name});\n"));
        source += "    return 0;\n}\n";
        std::fs::write(&file, &source).expect("the temporary directory should be writable");
        let flags = ["-w", "-fno-builtin", "-fmax-errors=0", "-Werror=implicit-function-declaration", "-o"];
        let compiled = Command::new("cc").args(flags).args([&binary, &file]).arg("-lm").output();
        let compiled = compiled.expect("cc should start");
        if compiled.status.success() {
            return binary;
        }
        let errors = String::from_utf8_lossy(&compiled.stderr).into_owned();
        let before = trials.len();
        trials.retain(|(name, _)| {
            !errors.contains(&format!("try_{name}:")) && !errors.contains(&format!("`{name}'"))
        });
        assert!(trials.len() < before, "{errors}");
    }
    panic!("the trials should compile once those that cannot are left out");
}

#[test]
fn summaries_allow_what_the_library_does() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("there is no C compiler: nothing was tried");
        return;
    }
    let all = std::env::var("THREADPROOF_LIBRARY_ROWS").is_ok_and(|value| value == "all");
    let mut trials: Vec<(&str, String)> = rows()
        .filter(|(name, row)| is_harmless(name, row))
        .filter_map(|(name, row)| Some((name, trial(name, &row)?)))
        .enumerate()
        .filter(|(n, _)| all || n % 8 == 0)
        .map(|(_, trial)| trial)
        .collect();
    let directory = std::env::temp_dir().join(format!("threadproof-rows-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("the temporary directory should be writable");
    let binary = compile(&directory, &mut trials);
    let run = Command::new(&binary).current_dir(&directory).output().expect("the program should start");
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    std::fs::remove_dir_all(&directory).expect("the temporary directory should be removable");
    let count = |word: &str| output.lines().filter(|line| line.starts_with(word)).count();
    eprintln!("{} rows: {} calls fine, {} skipped", trials.len(), count("OK"), count("SKIP"));
    let bad: Vec<&str> = output.lines().filter(|line| line.starts_with("BAD")).collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(count("OK") * 2 > trials.len() * 4, "most calls should have been possible: {output}");
}
