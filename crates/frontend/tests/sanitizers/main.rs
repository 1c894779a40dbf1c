//! Undefined behaviour against the sanitizers of the system compiler: random programs are undefined for the interpreter exactly if AddressSanitizer or
//! UndefinedBehaviorSanitizer reports them.
//!
//! The programs (see [`programs`]) have one execution each. Many are compiled as one file and run one by one. Without a C compiler that has these sanitizers the
//! test says so and passes.
//!
//! `testkit::settings` says how to try more programs.

mod programs;

use frontend::{Checks, Options, load_text};
use program::interp::{Choice, Chooser, Interp, NoObserver, StepResult, Wakeups};
use program::passes::Overflow;
use program::{Undefined, Width};
use programs::{PRELUDE, program};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::settings;

/// How many programs go into one file.
const BATCH: u64 = 25;
/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 1_000_000;

/// One program as a whole file.
fn single(seed: u64) -> String {
    format!("{PRELUDE}{}int main(void) {{\n  return run();\n}}\n", program(seed, "run"))
}

/// Many programs as one file; its argument says which one runs.
fn batch(seeds: Range<u64>) -> String {
    let mut text = PRELUDE.to_owned();
    let mut main = String::from("int main(int argc, char **argv) {\n  switch (atoi(argv[1])) {\n");
    for seed in seeds {
        text += &program(seed, &format!("run{seed}"));
        main += &format!("  case {seed}: run{seed}(); break;\n");
    }
    text + &main + "  }\n  return 0;\n}\n"
}

/// Compiles with sanitizers; `None` if the compiler does not know them.
fn compile(stem: &Path, text: &str) -> Option<PathBuf> {
    let source = stem.with_extension("c");
    std::fs::write(&source, text).expect("the temporary directory should be writable");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-O0", "-fno-builtin", "-pthread", "-fno-sanitize-recover=all"])
        .args(["-fsanitize=address,undefined,float-cast-overflow", "-o"])
        .args([stem, &source])
        .output();
    compiled.ok().filter(|output| output.status.success()).map(|_| stem.to_owned())
}

/// What a sanitizer says of a program.
fn sanitized(executable: &Path, seed: u64) -> Option<String> {
    let run = Command::new(executable)
        .arg(seed.to_string())
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=1:detect_leaks=0")
        .output()
        .expect("a compiled program should start");
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    text.lines().find(|line| line.contains("ERROR: ") || line.contains("runtime error: ")).map(str::to_owned)
}

/// Indeterminate bytes (of padding) are anything.
struct Zero;

impl Chooser for Zero {
    fn choose(&mut self, _width: Width, what: &Choice) -> Option<u128> {
        assert!(matches!(what, Choice::Indeterminate(_)), "there should be no inputs");
        Some(0)
    }
}

/// What the interpreter says of a program.
fn interpreted(seed: u64) -> Result<Option<Undefined>, String> {
    let checks = Checks { validity: true, undefined: true, ..Checks::default() };
    let loaded = load_text("generated.c", &single(seed), &Options { checks, ..Options::default() });
    let raw = loaded.program.ok_or_else(|| format!("it is not accepted: {:?}", loaded.diagnostics))?;
    let program = raw.with(Overflow::IsUndefined);
    let interp = Interp::new(&program).map_err(|stop| format!("it does not start: {stop}"))?;
    let mut state = interp.initial();
    for _ in 0..MAX_STEPS {
        let runnable = interp.runnable(&state, Wakeups::OnlySignalled);
        let thread = *runnable.first().ok_or("it is stuck")?;
        match interp.step(&mut state, thread, &mut Zero, &mut NoObserver) {
            StepResult::Continue => {}
            StepResult::Ended => return Ok(None),
            StepResult::Undefined(what) => return Ok(Some(what)),
            other => return Err(format!("it ends with {other:?}")),
        }
    }
    Err("it does not terminate".to_owned())
}

/// The programs of a batch on which the two do not agree, and how many are undefined.
fn compare(seeds: Range<u64>, directory: &Path) -> Option<(Vec<String>, usize)> {
    let executable = compile(&directory.join(format!("batch{}", seeds.start)), &batch(seeds.clone()))?;
    let (mut failures, mut n_undefined) = (Vec::new(), 0);
    for seed in seeds {
        let theirs = sanitized(&executable, seed);
        n_undefined += usize::from(theirs.is_some());
        let ours = interpreted(seed);
        if !matches!(&ours, Ok(ours) if ours.is_some() == theirs.is_some()) {
            failures.push(format!("{seed}: {ours:?}, but {theirs:?}"));
        }
    }
    Some((failures, n_undefined))
}

#[test]
fn what_is_undefined_is_what_sanitizers_report() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sanitizers");
    std::fs::create_dir_all(&directory).expect("the temporary directory should be writable");
    let seeds = settings::seeds(2 * BATCH);
    let (mut failures, mut n_undefined) = (Vec::new(), 0);
    for start in seeds.clone().step_by(BATCH as usize) {
        let Some((found, n)) = compare(start..seeds.end.min(start + BATCH), &directory) else {
            return eprintln!("there is no cc with sanitizers: nothing is compared");
        };
        failures.extend(found);
        n_undefined += n;
        if settings::is_long() {
            eprintln!("{start}: {n_undefined} undefined so far, {} differ", failures.len());
        }
    }
    assert!(failures.is_empty(), "{} programs differ:\n{}", failures.len(), failures.join("\n"));
    let n_programs = seeds.end - seeds.start;
    assert!(n_undefined as u64 * 8 > n_programs, "{n_undefined} of {n_programs} are undefined: too few");
}
