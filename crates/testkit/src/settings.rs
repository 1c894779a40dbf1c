//! The environment variables that tests read. Without them, tests are short and always the same.
//!
//! | variable | read by | means |
//! |---|---|---|
//! | `THREADPROOF_PROGRAMS=n` | all tests with random programs | how many programs; a long run reports its progress on stderr |
//! | `THREADPROOF_SEED=s` | the same | the seed of the first program |
//! | `THREADPROOF_SHARD=k/n` | `engines_agree` | of these only each `n`-th, from the `k`-th on, counted from 0 |
//! | `THREADPROOF_SIZE=k` | `engines_agree` | how large the programs are; 0 is smallest, 1 the default |
//! | `THREADPROOF_THREADS=k` | `engines_agree` | the most threads beside `main`; 0 makes programs sequential |
//! | `THREADPROOF_PROPERTY=name` | `engines_agree` | the property, `unreach-call` by default |
//! | `THREADPROOF_ENGINE=a,b` | `engines_agree` | only configurations whose names begin like one of these (`redcomp`, `cpa value`, …) |
//! | `THREADPROOF_KEEP=DIR` | `engines_agree` | where programs that show a bug are written to |
//! | `THREADPROOF_MILLISECONDS=t` | `engines_agree`, `termination_agree` | the time limit of each query |
//! | `THREADPROOF_WELL_DEFINED=n` | `differential` | how many programs are compiled with sanitizers |
//! | `THREADPROOF_FUZZ=n` | `fuzz`, the parser's `broken_programs` | how many mutated programs |
//! | `THREADPROOF_FUZZ_SEED=s` | `fuzz` | the number of the first one |
//! | `THREADPROOF_FUZZ_DIR=DIR` | the parser's `broken_programs` | programs to mutate instead of the built-in ones |
//! | `THREADPROOF_SUITE=DIR` | `parser` | preprocessed programs that must parse; prints the speed |
//! | `THREADPROOF_LITMUS=FILE` | `store_buffers` | more programs with their outcomes under SC, TSO and PSO |
//! | `THREADPROOF_BROWSER=PROGRAM` | `browser` | the Chromium that shows HTML reports; without it `chromium`, if that is installed |
//! | `UPDATE_EXPECT=1` | all golden tests | rewrite the expected output instead of comparing with it |
//!
//! A long run of what CI does briefly, with a release build:
//!
//! ```sh
//! THREADPROOF_PROGRAMS=20000 cargo test --release -p threadproof --test engines_agree
//! THREADPROOF_FUZZ=100000 cargo test --release -p threadproof-frontend
//! ```

use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The value of a variable, `None` if it is not set.
///
/// # Panics
/// If the value cannot be parsed: a setting that is silently ignored would make a run look longer than it was.
pub fn parsed<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} should be a {}", std::any::type_name::<T>())))
}

/// The seeds of random programs: `THREADPROOF_PROGRAMS` of them, from `THREADPROOF_SEED` on.
pub fn seeds(n_programs: u64) -> Range<u64> {
    range("THREADPROOF_SEED", "THREADPROOF_PROGRAMS", n_programs)
}

/// The numbers of mutated programs: `THREADPROOF_FUZZ` of them, from `THREADPROOF_FUZZ_SEED` on.
pub fn mutants(n_mutants: u64) -> Range<u64> {
    range("THREADPROOF_FUZZ_SEED", "THREADPROOF_FUZZ", n_mutants)
}

/// Returns true if the number of programs is set: such a run may take long and should report its progress.
pub fn is_long() -> bool {
    std::env::var_os("THREADPROOF_PROGRAMS").is_some()
}

/// `THREADPROOF_MILLISECONDS`, the time limit of each query.
pub fn time_limit(default: Duration) -> Duration {
    parsed("THREADPROOF_MILLISECONDS").map_or(default, Duration::from_millis)
}

/// `THREADPROOF_SHARD=k/n` as `(k, n)`; `(0, 1)`, which is everything, by default.
pub fn shard() -> (u64, u64) {
    let Some(text) = parsed::<String>("THREADPROOF_SHARD") else { return (0, 1) };
    let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    numbers.filter(|(_, n)| *n > 0).unwrap_or_else(|| panic!("THREADPROOF_SHARD={text} should be k/n"))
}

/// A folder that a variable names.
pub fn folder(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

fn range(first: &str, number: &str, default: u64) -> Range<u64> {
    let first = parsed(first).unwrap_or(1);
    first..first + parsed(number).unwrap_or(default)
}
