//! What C means, by example: annotated programs behave in our interpreter as they do when the system compiler has compiled them.
//!
//! The programs are those with a line `// native: yes`. They are sequential and take no input, so that one run decides whether their `unreach-call`
//! holds, natively and here, with and without checks for overflow. So the expectations about attributes, linkage and assembly are not only ours.
//! Without a C compiler only our side is run.
//!
//! `THREADPROOF_FILES` names other files to be run, separated by spaces; no assertion of theirs may fail.

#[allow(dead_code, reason = "only the comparison with csmith reads the messages")]
mod interpret;

use frontend::Checks;
use interpret::{Failure, Setup, run};
use program::passes::Overflow;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 5_000_000;

/// The programs, whether they end well, and whether they are about something without a model (`explore: unknown`).
fn programs() -> Vec<(PathBuf, bool, bool)> {
    if let Ok(files) = std::env::var("THREADPROOF_FILES") {
        return files.split_whitespace().map(|file| (PathBuf::from(file), true, false)).collect();
    }
    let native = testkit::corpus::programs().into_iter().filter(|program| program.native);
    let claim = |program: &testkit::corpus::Annotated| {
        program.expects("unreach-call").unwrap_or_else(|| panic!("{} should claim something", program.name))
    };
    native.map(|program| (program.path.clone(), claim(&program), program.is_unknown_to("explore"))).collect()
}

/// Runs a program in the interpreter, and says how it ends: well, or with a violation of an assertion.
fn interpreted(path: &Path, checks: Checks, overflow: Overflow) -> Result<bool, String> {
    let setup = Setup { include_dirs: Vec::new(), checks, overflow, max_steps: MAX_STEPS };
    match run(path, &setup) {
        Ok(()) => Ok(true),
        Err(Failure::Violated(what)) => {
            eprintln!("{}: {what}", path.display());
            Ok(false)
        }
        Err(Failure::Unsupported(what)) => Err(format!("unsupported: {what}")),
        Err(Failure::Endless) => Err("it does not terminate".to_owned()),
        Err(Failure::Wrong(what)) => Err(what),
    }
}

/// Compiles and runs a program, and says whether it ends well; `None` without a compiler.
fn native(path: &Path, optimise: &str) -> Result<Option<bool>, String> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a program should have a name");
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("language-{stem}{optimise}"));
    let mut compile = Command::new("cc");
    compile
        .args(["-std=gnu11", "-w", "-pthread", optimise, "-o"])
        .arg(&binary)
        .arg(path)
        .args(["-lm", "-latomic"]);
    let compiled = match compile.output() {
        Ok(compiled) => compiled,
        Err(_) => return Ok(None),
    };
    if !compiled.status.success() {
        return Err(format!("cc: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let run = Command::new(&binary).output().map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&binary);
    Ok(Some(run.status.success()))
}

#[test]
fn programs_mean_what_the_compiler_says() {
    let (mut failures, programs) = (Vec::new(), programs());
    assert!(!programs.is_empty(), "there should be programs to run");
    for (path, ends_well, has_gap) in programs {
        let races = Checks { foreign_accesses: true, ..Checks::default() };
        let interpreted = |checks, overflow| interpreted(&path, checks, overflow).map(Some);
        for (what, result) in [
            ("-O0", native(&path, "-O0")),
            ("-O2", native(&path, "-O2")),
            ("interpreted", interpreted(Checks::default(), Overflow::Wraps)),
            ("interpreted for races", interpreted(races, Overflow::Wraps)),
            ("interpreted for overflows", interpreted(Checks::default(), Overflow::IsError)),
        ] {
            match result {
                Err(why) if has_gap && why.starts_with("unsupported") => {}
                Err(why) => failures.push(format!("{} ({what}): {why}", path.display())),
                Ok(Some(well)) if well != ends_well => {
                    failures.push(format!("{} ({what}): it should end otherwise", path.display()));
                }
                Ok(_) => {}
            }
        }
    }
    assert!(failures.is_empty(), "{} runs differ:\n{}", failures.len(), failures.join("\n"));
}
