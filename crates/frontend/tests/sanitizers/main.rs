//! Undefined behaviour and leaks against the sanitizers of compilers: random programs are undefined for the interpreter exactly if AddressSanitizer or UndefinedBehaviorSanitizer reports
//! them, and leak exactly if LeakSanitizer reports that; those that may decide on memory which was never set, exactly if MemorySanitizer does.
//!
//! The programs (see [`programs`] and [`testkit::unset`]) have one execution each. Many are compiled as one file and run one by one. Without a C compiler that has these sanitizers a
//! test says so and passes.
//!
//! AddressSanitizer does not see all accesses to frames that are gone: to the stack of a thread that has ended, and outside of a variable whose block was left. Such programs, and no others, are no
//! difference. LeakSanitizer reports leaks of the programs that come to their end, which are those of `valid-memtrack`.
//!
//! `testkit::settings` says how to try more programs.

mod programs;

use frontend::{Checks, Options, load_text};
use program::interp::{Choice, Chooser, Identity, Interp, NoObserver, StepResult, ThreadId, Wakeups};
use program::passes::Overflow;
use program::{Property, Undefined, UndefinedKind, Width};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::settings;

/// How many programs go into one file.
const BATCH: u64 = 25;
/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 1_000_000;

/// Random programs, and who judges them.
struct Judge {
    name: &'static str,
    prelude: &'static str,
    program: fn(u64, &str) -> String,
    compiler: &'static str,
    options: &'static [&'static str],
    /// Whether it reports leaks.
    leaks: bool,
}

const ADDRESSES: Judge = Judge {
    name: "addresses",
    prelude: programs::PRELUDE,
    program: programs::program,
    compiler: "cc",
    options: &["-fno-sanitize-recover=all", "-fsanitize=address,undefined,float-cast-overflow"],
    leaks: true,
};

const MEMORY: Judge = Judge {
    name: "memory",
    prelude: testkit::unset::PRELUDE,
    program: testkit::unset::program,
    compiler: "clang",
    options: &["-fsanitize=memory", "-fno-sanitize-memory-param-retval"],
    leaks: false,
};

impl Judge {
    /// One program as a whole file.
    fn single(&self, seed: u64) -> String {
        format!("{}{}int main(void) {{\n  return run();\n}}\n", self.prelude, (self.program)(seed, "run"))
    }

    /// Many programs as one file; its argument says which one runs.
    fn batch(&self, seeds: Range<u64>) -> String {
        let mut text = self.prelude.to_owned();
        let mut main = String::from("int main(int argc, char **argv) {\n  switch (atoi(argv[1])) {\n");
        for seed in seeds {
            text += &(self.program)(seed, &format!("run{seed}"));
            main += &format!("  case {seed}: run{seed}(); break;\n");
        }
        text + &main + "  }\n  return 0;\n}\n"
    }

    /// Compiles with sanitizers; `None` if the compiler does not know them.
    fn compile(&self, stem: &Path, text: &str) -> Option<PathBuf> {
        let source = stem.with_extension("c");
        std::fs::write(&source, text).expect("the temporary directory should be writable");
        let compiled = Command::new(self.compiler)
            .args(["-std=gnu11", "-w", "-O0", "-fno-builtin", "-pthread"])
            .args(self.options)
            .arg("-o")
            .args([stem, &source])
            .output();
        compiled.ok().filter(|output| output.status.success()).map(|_| stem.to_owned())
    }
}

/// What a sanitizer says of a program.
fn sanitized(executable: &Path, seed: u64) -> Option<String> {
    let run = Command::new(executable)
        .arg(seed.to_string())
        .env("ASAN_OPTIONS", "detect_stack_use_after_return=1")
        // All frames are gone at the end, but their bytes are not.
        .env("LSAN_OPTIONS", "use_stacks=0:use_registers=0")
        .output()
        .expect("a compiled program should start");
    let text = String::from_utf8_lossy(&run.stderr).into_owned();
    let reports = ["ERROR: ", "runtime error: ", "WARNING: MemorySanitizer"];
    text.lines().find(|line| reports.iter().any(|report| line.contains(report))).map(str::to_owned)
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
fn interpreted(text: &str) -> Result<Option<Undefined>, String> {
    let checks = Checks { validity: true, undefined: true, ..Checks::default() };
    let loaded = load_text("generated.c", text, &Options { checks, ..Options::default() });
    let raw = loaded.program.ok_or_else(|| format!("it is not accepted: {:?}", loaded.diagnostics))?;
    let program = raw.with(Overflow::IsUndefined);
    let interp = Interp::new(&program).map_err(|stop| format!("it does not start: {stop}"))?;
    let mut state = interp.initial();
    for _ in 0..MAX_STEPS {
        let runnable = interp.runnable(&state, Wakeups::OnlySignalled);
        let thread = *runnable.first().ok_or("it is stuck")?;
        let before = state.clone();
        match interp.step(&mut state, thread, &mut Zero, &mut NoObserver) {
            StepResult::Continue => {}
            StepResult::Ended => return Ok(interp.leak(&before, &state, thread, Property::ValidMemtrack)),
            StepResult::Undefined(what) => return Ok(Some(what)),
            other => return Err(format!("it ends with {other:?}")),
        }
    }
    Err("it does not terminate".to_owned())
}

/// What comes of a comparison.
#[derive(Default)]
struct Tally {
    failures: Vec<String>,
    n_undefined: usize,
    /// Frames that are gone, where the sanitizer does not see it.
    n_missed: usize,
}

/// Whether both find something, or neither does. A leak is one for both, where leaks are looked for.
fn agree(judge: &Judge, ours: Option<&Undefined>, theirs: Option<&str>) -> bool {
    let is_leak = |found: &&Undefined| found.kind == UndefinedKind::MemoryLeak;
    let ours = ours.filter(|found| judge.leaks || !is_leak(found));
    let leaks =
        (ours.as_ref().is_some_and(is_leak), theirs.is_some_and(|text| text.contains("LeakSanitizer")));
    ours.is_some() == theirs.is_some() && leaks.0 == leaks.1
}

/// Whether AddressSanitizer cannot see an access: to the stack of a thread that has ended, which is unmapped or used again, or outside of a variable that is gone.
fn is_not_seen(found: &Undefined) -> bool {
    let is_of_thread =
        matches!(found.object, Some(Identity::Local { thread, .. }) if thread != ThreadId::MAIN);
    let is_scalar_beyond = found.what.split(" at offset ").nth(1).is_some_and(|rest| !rest.starts_with("0 "));
    match found.kind {
        UndefinedKind::UseAfterReturn => is_of_thread,
        UndefinedKind::UseAfterScope => is_scalar_beyond,
        _ => false,
    }
}

/// Compares the programs of a batch; `None` if there is no such compiler.
fn compare(judge: &Judge, seeds: Range<u64>, directory: &Path, tally: &mut Tally) -> Option<()> {
    let stem = directory.join(format!("{}{}", judge.name, seeds.start));
    let executable = judge.compile(&stem, &judge.batch(seeds.clone()))?;
    for seed in seeds {
        let theirs = sanitized(&executable, seed);
        tally.n_undefined += usize::from(theirs.is_some());
        match (interpreted(&judge.single(seed)), theirs) {
            (Ok(ours), theirs) if agree(judge, ours.as_ref(), theirs.as_deref()) => {}
            (Ok(Some(found)), _) if is_not_seen(&found) => tally.n_missed += 1,
            (ours, theirs) => tally.failures.push(format!("{seed}: {ours:?}, but {theirs:?}")),
        }
    }
    Some(())
}

fn check(judge: &Judge) {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sanitizers");
    std::fs::create_dir_all(&directory).expect("the temporary directory should be writable");
    let seeds = settings::seeds(2 * BATCH);
    let mut tally = Tally::default();
    for start in seeds.clone().step_by(BATCH as usize) {
        if compare(judge, start..seeds.end.min(start + BATCH), &directory, &mut tally).is_none() {
            return eprintln!("there is no {} with sanitizers: nothing is compared", judge.compiler);
        }
        if settings::is_long() {
            let Tally { failures, n_undefined, n_missed } = &tally;
            eprintln!(
                "{start}: {n_undefined} undefined so far, {} differ, {n_missed} missed",
                failures.len()
            );
        }
    }
    let Tally { failures, n_undefined, n_missed } = tally;
    assert!(failures.is_empty(), "{} programs differ:\n{}", failures.len(), failures.join("\n"));
    let n_programs = seeds.end - seeds.start;
    assert!(n_undefined as u64 * 8 > n_programs, "{n_undefined} of {n_programs} are undefined: too few");
    assert!(n_missed as u64 * 20 <= n_programs, "{n_missed} of {n_programs} are missed: too many");
}

#[test]
fn what_is_undefined_is_what_sanitizers_report() {
    check(&ADDRESSES);
}

#[test]
fn decisions_on_unset_memory_are_what_memory_sanitizer_reports() {
    check(&MEMORY);
}
