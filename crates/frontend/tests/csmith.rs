//! csmith's programs compute the same checksum in our interpreter and natively.
//!
//! csmith (Yang, Chen, Eide, Regehr: Finding and understanding bugs in C compilers, PLDI 2011) makes random programs without undefined behaviour
//! that print a checksum of their global variables. Each is compiled and run; then the same program, with the printing replaced by a comparison
//! with the native checksum, is run by the interpreter and must not call `reach_error`. A program that needs something without a model is counted
//! and named, one that takes too long natively or here is passed over.
//!
//! `cargo xtask csmith N [SEED]` runs this; `THREADPROOF_CSMITH` is how many programs, `THREADPROOF_SEED` the first one's seed. The package has its
//! header in `/usr/include/csmith`; `CSMITH_INCLUDE` names another folder.

mod interpret;

use frontend::Checks;
use interpret::{Failure, Setup, run};
use program::passes::Overflow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Longer runs are given up.
const MAX_STEPS: usize = 10_000_000;
/// A native run that takes longer does not terminate.
const NATIVE_TIME: Duration = Duration::from_secs(2);
/// Of how many programs one may be unsupported.
const ONE_UNSUPPORTED_IN: usize = 20;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn include_dir() -> PathBuf {
    std::env::var_os("CSMITH_INCLUDE").map_or_else(|| PathBuf::from("/usr/include/csmith"), PathBuf::from)
}

/// What became of a program.
enum Outcome {
    Equal,
    /// It is not compared, for this reason.
    Passed(&'static str),
    Unsupported(String),
    Different(String),
}

/// The options that vary from program to program.
fn options(seed: u64) -> &'static [&'static str] {
    match seed % 4 {
        1 => &["--builtins", "--disable-builtin-kinds", "x86"],
        2 => &["--float"],
        3 => &["--packed-struct", "--bitfields", "--unions"],
        _ => &[],
    }
}

/// Runs a command for at most `limit`; its output, if it succeeded in time.
fn output_within(command: &mut Command, limit: Duration) -> Option<String> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let start = Instant::now();
    while start.elapsed() < limit {
        match child.try_wait().ok()? {
            Some(status) if status.success() => {
                let output = child.wait_with_output().ok()?;
                return String::from_utf8(output.stdout).ok();
            }
            Some(_) => return None,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
    child.kill().ok()?;
    child.wait().ok()?;
    None
}

/// The checksum that a program prints when it is compiled, or why there is none.
fn native_checksum(source: &Path) -> Result<u32, &'static str> {
    let binary = source.with_extension("native");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-O0", "-I"])
        .arg(include_dir())
        .arg("-o")
        .args([&binary, source])
        .arg("-lm")
        .output()
        .expect("cc should start");
    // csmith knows builtins of other machines, too.
    if !compiled.status.success() {
        return Err("the compiler refuses it");
    }
    let printed = output_within(&mut Command::new(&binary), NATIVE_TIME);
    let _ = std::fs::remove_file(&binary);
    let checksum = printed.as_deref().and_then(|text| text.trim().strip_prefix("checksum = "));
    checksum
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .ok_or("it takes too long, or crashes, when compiled")
}

/// The program with a comparison where it would print its checksum.
fn self_checking(text: &str, checksum: u32) -> String {
    let check = format!(
        "#include \"csmith.h\"\nextern void reach_error(void);\n\
         #define platform_main_end(crc, flag) do {{ if ((crc) != {checksum:#x}u) reach_error(); }} while (0)\n"
    );
    text.replacen("#include \"csmith.h\"\n", &check, 1)
}

fn compare(seed: u64, directory: &Path) -> Outcome {
    let source = directory.join(format!("csmith{seed}.c"));
    let made = Command::new("csmith")
        .args(["--no-argc", "--concise", "--seed", &seed.to_string(), "-o"])
        .arg(&source)
        .args(options(seed))
        .output()
        .expect("csmith should start");
    assert!(made.status.success(), "csmith: {}", String::from_utf8_lossy(&made.stderr));
    let checksum = match native_checksum(&source) {
        Ok(checksum) => checksum,
        Err(why) => {
            let _ = std::fs::remove_file(&source);
            return Outcome::Passed(why);
        }
    };
    let text = std::fs::read_to_string(&source).expect("csmith should have written a program");
    std::fs::write(&source, self_checking(&text, checksum)).expect("the program should be writable");
    let setup = Setup {
        include_dirs: vec![include_dir()],
        checks: Checks::default(),
        overflow: Overflow::Wraps,
        max_steps: MAX_STEPS,
    };
    let outcome = match run(&source, &setup) {
        Ok(()) => Outcome::Equal,
        Err(Failure::Endless) => Outcome::Passed("it takes too many steps in the interpreter"),
        // csmith's own programs call `__builtin_clz(0)`.
        Err(Failure::Wrong(what)) if what.contains("no bit is set") => {
            Outcome::Passed("it calls a builtin with an argument that is not allowed")
        }
        Err(Failure::Unsupported(what)) => Outcome::Unsupported(what),
        Err(Failure::Violated(what) | Failure::Wrong(what)) => {
            match run(&source, &Setup { checks: Checks { undefined: true, ..Checks::default() }, ..setup }) {
                // csmith's floating-point programs convert numbers that are out of range.
                Err(Failure::Wrong(what)) if what.contains("FloatConversion") => {
                    Outcome::Passed("it converts a number that is out of its type's range")
                }
                _ => Outcome::Different(what),
            }
        }
    };
    if !matches!(outcome, Outcome::Different(_) | Outcome::Unsupported(_)) {
        let _ = std::fs::remove_file(&source);
    }
    outcome
}

#[derive(Default)]
struct Tally {
    equal: usize,
    passed: BTreeMap<&'static str, usize>,
    unsupported: Vec<String>,
    different: Vec<String>,
}

impl Tally {
    fn add(&mut self, seed: u64, outcome: Outcome) {
        match outcome {
            Outcome::Equal => self.equal += 1,
            Outcome::Passed(why) => *self.passed.entry(why).or_default() += 1,
            Outcome::Unsupported(what) => self.unsupported.push(format!("csmith{seed}.c: {what}")),
            Outcome::Different(what) => self.different.push(format!("csmith{seed}.c: {what}")),
        }
    }

    fn report(&self) -> String {
        let mut text = format!(
            "{} equal, {} passed over, {} unsupported, {} different\n",
            self.equal,
            self.passed.values().sum::<usize>(),
            self.unsupported.len(),
            self.different.len()
        );
        for (why, n) in &self.passed {
            text += &format!("passed over: {n}: {why}\n");
        }
        for (what, list) in [("unsupported", &self.unsupported), ("different", &self.different)] {
            for line in list {
                text += &format!("{what}: {line}\n");
            }
        }
        text
    }
}

#[test]
#[ignore = "needs csmith: `cargo xtask csmith N` runs it"]
fn checksums_are_equal() {
    let first = number("THREADPROOF_SEED", 1);
    let end = first + number("THREADPROOF_CSMITH", 20);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (next, tally) = (AtomicU64::new(first), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let outcome = compare(seed, directory);
                    tally.lock().expect("no thread should have panicked").add(seed, outcome);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("no thread should have panicked");
    println!("{}", tally.report());
    assert!(tally.different.is_empty(), "checksums differ");
    let compared = tally.equal + tally.unsupported.len();
    assert!(tally.unsupported.len() * ONE_UNSUPPORTED_IN <= compared, "too many programs are unsupported");
}
