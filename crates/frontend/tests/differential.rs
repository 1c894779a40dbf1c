//! Our C against the system compiler's: random programs compute the same in our interpreter and natively.
//!
//! The programs (see [`testkit::sequential`]) are sequential and well-defined, so that there is exactly one right answer. Many are
//! compiled as one file, since starting the compiler takes longer than compiling. Without a C compiler the test says so
//! and passes.
//!
//! `testkit::settings` says how to try more programs.

use base::Idx;
use frontend::{Options, load_text};
use program::interp::{Choice, Chooser, Interp, NoObserver, StepResult, ThreadId};
use program::passes::Overflow;
use program::{ObjectId, Program, Width};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::sequential::{self, PRELUDE};
use testkit::settings;

/// How many programs go into one file.
const BATCH: u64 = 20;
/// One batch of so many is also compiled with optimisation.
const OPTIMISED_EVERY: u64 = 5;
/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 5_000_000;

/// What a program computes: how many results, and what became of them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Results {
    n_out: u32,
    out: Vec<u64>,
}

fn prefix(seed: u64) -> String {
    format!("p{seed}_")
}

/// One program as a whole file.
fn single(seed: u64) -> String {
    let prefix = prefix(seed);
    let body = sequential::program(seed, &prefix);
    format!("{PRELUDE}{body}int main(void) {{\n  {prefix}main();\n  return 0;\n}}\n")
}

/// Many programs as one file, with a `main` that runs all of them and prints their results.
fn batch(seeds: Range<u64>) -> String {
    let mut text = format!("#include <stdio.h>\n#include <string.h>\n{PRELUDE}");
    let mut main = String::from("int main(void) {\n");
    for seed in seeds {
        let prefix = prefix(seed);
        text += &sequential::program(seed, &prefix);
        main += &format!(
            "  memset(out, 0, sizeof out); n_out = 0; {prefix}main(); printf(\"{seed} %u\", n_out);\n  \
               for (int i = 0; i < 64; i++) printf(\" %llu\", out[i]);\n  puts(\"\"); fflush(stdout);\n"
        );
    }
    text + &main + "  return 0;\n}\n"
}

/// The compiler's results of a batch.
fn native(seeds: Range<u64>, flags: &[&str], directory: &Path) -> BTreeMap<u64, Results> {
    let stem = directory.join(format!("batch{}", seeds.start));
    let source = stem.with_extension("c");
    std::fs::write(&source, batch(seeds.clone())).expect("the temporary directory should be writable");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-ffp-contract=off"])
        .args(flags)
        .arg("-o")
        .args([&stem, &source])
        .output()
        .expect("cc should start");
    assert!(compiled.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&stem).output().expect("a compiled program should start");
    assert!(run.status.success(), "{}: {}", source.display(), String::from_utf8_lossy(&run.stderr));
    assert!(run.stderr.is_empty(), "{}: {}", source.display(), String::from_utf8_lossy(&run.stderr));
    let lines = String::from_utf8(run.stdout).expect("numbers should be text");
    let results: BTreeMap<u64, Results> = lines.lines().map(parse_results).collect();
    assert_eq!(results.len() as u64, seeds.end - seeds.start);
    results
}

fn parse_results(line: &str) -> (u64, Results) {
    let numbers: Vec<u64> = line.split(' ').map(|n| n.parse().expect("results should be numbers")).collect();
    (numbers[0], Results { n_out: numbers[1] as u32, out: numbers[2..].to_vec() })
}

/// Indeterminate bytes (of padding) are anything, and must not matter.
struct Anything(u128);

impl Chooser for Anything {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        assert!(matches!(what, Choice::Indeterminate(_)), "there should be no inputs");
        self.0 = self.0.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
        Some(self.0 >> 7)
    }
}

/// Our results of a program, or what went wrong.
fn interpreted(seed: u64) -> Result<Results, String> {
    // Defined programs do not overflow, so that checking for it must change nothing.
    let meaning = if seed % 2 == 1 { Overflow::IsError } else { Overflow::Wraps };
    let loaded = load_text("generated.c", &single(seed), &Options::default());
    let Some(program) = loaded.program else {
        return Err(format!("it is not accepted: {:?}", loaded.diagnostics));
    };
    let program = program.with(meaning);
    let interp = Interp::new(&program).map_err(|stop| format!("it does not start: {stop}"))?;
    let mut state = interp.initial();
    let mut anything = Anything(1);
    for _ in 0..MAX_STEPS {
        match interp.step(&mut state, ThreadId::MAIN, &mut anything, &mut NoObserver) {
            StepResult::Continue => {}
            StepResult::Ended => {
                let read = |name| words(&interp.static_bytes(&state, object(&program, name)));
                let n_out = read("n_out").first().map_or(0, |word| *word as u32);
                return Ok(Results { n_out, out: read("out") });
            }
            other => {
                let place = interp.position(&state, ThreadId::MAIN);
                return Err(format!("it ends with {other:?} at {place:?}"));
            }
        }
    }
    Err("it does not terminate".to_string())
}

fn object(program: &Program, name: &str) -> ObjectId {
    let at = program.objects.iter().position(|o| o.name == name);
    ObjectId::new(at.expect("the results should be there"))
}

/// Little-endian words of 8 bytes; indeterminate bytes do not occur.
fn words(bytes: &[Option<u8>]) -> Vec<u64> {
    let byte = |b: &Option<u8>| u64::from(b.expect("results should be determinate"));
    bytes.chunks(8).map(|word| word.iter().rev().fold(0, |value, b| (value << 8) | byte(b))).collect()
}

/// Compares the programs of a batch; says what differs.
fn compare(seeds: Range<u64>, directory: &Path) -> Vec<String> {
    let plain = native(seeds.clone(), &["-O0"], directory);
    // Optimising takes the compiler much longer.
    let is_optimised = (seeds.start / BATCH).is_multiple_of(OPTIMISED_EVERY);
    let optimised = if is_optimised { native(seeds.clone(), &["-O2"], directory) } else { plain.clone() };
    let mut failures = Vec::new();
    for seed in seeds {
        let ours = interpreted(seed);
        let what = match &ours {
            Ok(results) if *results != plain[&seed] => difference(results, &plain[&seed]),
            Ok(results) if *results != optimised[&seed] => {
                format!("optimised, {}", difference(results, &optimised[&seed]))
            }
            Ok(_) => continue,
            Err(why) => why.clone(),
        };
        let file = directory.join(format!("failed{seed}.c"));
        std::fs::write(&file, single(seed)).expect("the temporary directory should be writable");
        failures.push(format!("{}: {what}", file.display()));
    }
    failures
}

/// Where two results differ.
fn difference(ours: &Results, theirs: &Results) -> String {
    let lengths = (ours.n_out, theirs.n_out);
    match ours.out.iter().zip(&theirs.out).position(|(ours, theirs)| ours != theirs) {
        Some(at) => {
            format!("out[{at}] is {:#x}, not {:#x} (n_out {lengths:?})", ours.out[at], theirs.out[at])
        }
        None => format!("n_out is {}, not {}", lengths.0, lengths.1),
    }
}

fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("there is no cc: nothing is compared");
    }
    found
}

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

#[test]
fn programs_compute_what_the_compiler_says() {
    if !has_compiler() {
        return;
    }
    let Range { start: first, end } = settings::seeds(200);
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let start = next.fetch_add(BATCH, Ordering::Relaxed);
                    if start >= end {
                        return;
                    }
                    let found = compare(start..end.min(start + BATCH), &directory());
                    failures.lock().expect("no thread should have panicked").extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread should have panicked");
    assert!(failures.is_empty(), "{} programs differ:\n{}", failures.len(), failures.join("\n"));
}

/// A check of the generator rather than of us: no program has undefined behaviour, nor depends on optimisation.
#[test]
fn programs_are_well_defined() {
    if !has_compiler() {
        return;
    }
    let first = settings::seeds(0).start;
    // The other test writes batches of the same names at the same time.
    let apart = directory().join("well_defined");
    std::fs::create_dir_all(&apart).expect("the temporary directory should be writable");
    let few = BATCH.min(8); // sanitizers make compiling slow: ask for more after changing the generator
    for start in
        (first..first + settings::parsed("THREADPROOF_WELL_DEFINED").unwrap_or(few)).step_by(few as usize)
    {
        let seeds = start..start + few;
        let sanitized = native(seeds.clone(), &["-fsanitize=undefined,address"], &apart);
        assert_eq!(sanitized, native(seeds, &["-O2"], &apart));
    }
}
