//! Data races against ThreadSanitizer: where exploration says that a random program has none, its compiled executions have no report.
//!
//! The programs lock, hand over by an atomic flag or a semaphore, join, and free, most of them in a way that protects something. ThreadSanitizer sees the executions that the machine
//! happens to take, so that it may miss what exploration finds; the test demands that it finds much of it, because both would agree on programs that do nothing, too.
//! Many programs are compiled as one file and run one by one. Without a C compiler that has this sanitizer the test says so and passes.
//!
//! `testkit::settings` says how to try more programs.

use base::{Budget, Random, Stats};
use engines::{Engine, Task};
use evidence::Outcome;
use program::Property;
use program::passes::Overflow;
use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::settings;

/// How many programs go into one file.
const BATCH: u64 = 25;
/// How often a program is run.
const RUNS: usize = 3;

const HEAD: &str = "typedef unsigned long pthread_t;
typedef union { long words[5]; } pthread_mutex_t;
typedef union { long words[4]; } sem_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *), pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *), pthread_mutex_trylock(pthread_mutex_t *);
extern int sem_init(sem_t *, int, unsigned), sem_post(sem_t *), sem_trywait(sem_t *);
extern void *malloc(unsigned long);
extern void free(void *);
extern int atoi(const char *);
";

/// The variables of a program; `@` is its number.
const VARIABLES: &str = "static int x@, y@, *h@;
static _Atomic int f@;
static pthread_mutex_t m@, n@;
static sem_t s@;
";

fn access(r: &mut Random) -> &'static str {
    r.pick(&[
        "x@++;",
        "t = x@;",
        "y@ = t;",
        "t += y@;",
        "*h@ = t;",
        "t = *h@;",
        "__atomic_fetch_add(&y@, 1, 5);",
    ])
}

fn statement(r: &mut Random) -> String {
    let body = access(r);
    match r.below(14) {
        0..=4 => format!("pthread_mutex_lock(&m@); {body} pthread_mutex_unlock(&m@);"),
        5 => format!("pthread_mutex_lock(&n@); {body} pthread_mutex_unlock(&n@);"),
        6 => format!("if (!pthread_mutex_trylock(&m@)) {{ {body} pthread_mutex_unlock(&m@); }}"),
        7 => format!("{body} f@ = 1;"),
        8 => format!("if (f@) {{ {body} }}"),
        9 => format!("{body} sem_post(&s@);"),
        10 => format!("if (!sem_trywait(&s@)) {{ {body} }}"),
        11 => "f@++;".to_owned(),
        12 if r.below(3) == 0 => "free(h@);".to_owned(),
        _ => body.to_owned(),
    }
}

fn body(r: &mut Random, kinds: &[String], most: u64) -> String {
    let n = 1 + r.below(most);
    // Few kinds of statements in a program make consistent protection likely.
    let mut line = |_| {
        let chosen =
            if r.below(6) == 0 { statement(r) } else { kinds[r.below(kinds.len() as u64) as usize].clone() };
        format!("    {chosen}\n")
    };
    (0..n).map(&mut line).collect()
}

/// A program as the function `run@`, with the functions of its threads.
fn generate(seed: u64) -> String {
    let mut r = Random(seed);
    let kinds: Vec<String> = (0..2).map(|_| statement(&mut r)).collect();
    let mut text = VARIABLES.to_owned();
    let n_threads = 1 + r.below(2);
    for thread in 0..n_threads {
        let code = body(&mut r, &kinds, 2);
        let _ = write!(
            text,
            "static void *thread{thread}_@(void *arg) {{\n    int t = 0;\n{code}    return 0;\n}}\n"
        );
    }
    text += "static int run@(void) {\n    int t = 0;\n    pthread_t id[2];\n    sem_init(&s@, 0, 0);\n    h@ = malloc(sizeof(int));\n    *h@ = 0;\n";
    let mut joined = [false; 2];
    for thread in 0..n_threads {
        let _ = writeln!(text, "    pthread_create(&id[{thread}], 0, thread{thread}_@, 0);");
        if r.below(4) == 0 {
            let _ = writeln!(text, "    pthread_join(id[{thread}], 0);");
            joined[thread as usize] = true;
        }
    }
    if r.below(2) == 0 {
        text += &body(&mut r, &kinds, 2);
    }
    for thread in (0..n_threads).filter(|thread| !joined[*thread as usize]) {
        let _ = writeln!(text, "    pthread_join(id[{thread}], 0);");
    }
    let _ = writeln!(text, "    {}\n    return t & 1;\n}}", access(&mut r));
    text.replace('@', &seed.to_string())
}

/// Whether a program has no race and nothing else undefined; `None` if exploration has no answer.
fn explored(seed: u64) -> Option<bool> {
    let text = format!("{HEAD}{}int main(void) {{ return run{seed}(); }}\n", generate(seed));
    let checks = frontend::Checks { foreign_accesses: true, validity: true, ..frontend::Checks::default() };
    let loaded = frontend::load_text("random.i", &text, &frontend::Options { checks, ..Default::default() });
    let program = loaded.program.unwrap_or_else(|| panic!("{:?} in\n{text}", loaded.diagnostics));
    let program = program.with(Overflow::Wraps);
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let options = engines::explore::Options { max_states: 30_000, ..Default::default() };
    match options.run(&Task::new(&program, Property::NoDataRace, &budget), &mut Stats::default()) {
        Outcome::Safe(_) => Some(true),
        Outcome::Unsafe(_) => Some(false),
        Outcome::Unknown(_) => None,
        Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
    }
}

/// Compiles programs as one file, whose argument says which one runs; `None` if the compiler does not know the sanitizer.
fn compile(seeds: Range<u64>, directory: &Path) -> Option<PathBuf> {
    let stem = directory.join(seeds.start.to_string());
    let mut text = HEAD.to_owned();
    let mut main = String::from("int main(int argc, char **argv) {\n    switch (atoi(argv[1])) {\n");
    for seed in seeds {
        text += &generate(seed);
        let _ = writeln!(main, "    case {seed}: run{seed}(); break;");
    }
    let source = stem.with_extension("c");
    std::fs::write(&source, text + &main + "    }\n    return 0;\n}\n")
        .expect("the directory should be writable");
    let options = ["-std=gnu11", "-w", "-O0", "-fsanitize=thread", "-pthread", "-o"];
    let compiled = Command::new("cc").args(options).args([&stem, &source]).output();
    compiled.ok().filter(|output| output.status.success()).map(|_| stem)
}

/// The first report of ThreadSanitizer about a program.
fn reported(executable: &Path, seed: u64) -> Option<String> {
    (0..RUNS).find_map(|_| {
        let run =
            Command::new(executable).arg(seed.to_string()).output().expect("a compiled program should start");
        let text = String::from_utf8_lossy(&run.stderr).into_owned();
        text.lines().find(|line| line.contains("WARNING: ThreadSanitizer")).map(str::to_owned)
    })
}

#[test]
fn what_exploration_proves_thread_sanitizer_does_not_report() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("thread_sanitizer");
    std::fs::create_dir_all(&directory).expect("the temporary directory should be writable");
    let seeds = settings::seeds(2 * BATCH);
    let (mut n_safe, mut n_racy, mut n_seen) = (0, 0, 0);
    for start in seeds.clone().step_by(BATCH as usize) {
        let batch = start..seeds.end.min(start + BATCH);
        let Some(executable) = compile(batch.clone(), &directory) else {
            return eprintln!("there is no cc with ThreadSanitizer: nothing is compared");
        };
        for seed in batch {
            let (ours, theirs) = (explored(seed), reported(&executable, seed));
            let text = || generate(seed);
            assert!(ours != Some(true) || theirs.is_none(), "{seed}: {theirs:?} in\n{}", text());
            n_safe += u64::from(ours == Some(true));
            n_racy += u64::from(ours == Some(false));
            n_seen += u64::from(ours == Some(false) && theirs.is_some());
        }
        if settings::is_long() {
            eprintln!("{start}: {n_safe} without races, {n_racy} with races, of which {n_seen} are reported");
        }
    }
    let n = seeds.end - seeds.start;
    assert!(n_safe * 8 > n && n_racy * 8 > n, "{n_safe} and {n_racy} of {n} programs test too little");
    assert!(n_seen * 2 > n_racy, "{n_seen} of {n_racy} races are reported: too few");
}
