//! What C means, by example: annotated programs behave in our interpreter as they do when the system compiler has compiled them.
//!
//! The programs are those of `tests/programs` with a line `// native: run`. They are sequential, take no input, and check themselves by
//! assertions, so that ending without a violation is the one right outcome, natively and here, with and without checks for overflow. Without a C
//! compiler only our side is run.
//!
//! `THREADPROOF_FILES` names other files to be run, separated by spaces.

mod interpret;

use frontend::Checks;
use interpret::{Failure, Setup, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 5_000_000;
const MARK: &str = "// native: run";

fn programs() -> Vec<PathBuf> {
    if let Ok(files) = std::env::var("THREADPROOF_FILES") {
        return files.split_whitespace().map(PathBuf::from).collect();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut found = Vec::new();
    for directory in std::fs::read_dir(root).expect("the programs should be there") {
        let directory = directory.expect("the programs should be readable").path();
        let Ok(files) = std::fs::read_dir(directory) else { continue };
        for file in files {
            let path = file.expect("the programs should be readable").path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if text.lines().any(|line| line.trim() == MARK) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Runs a program in the interpreter; says what went wrong.
fn interpreted(path: &Path, checks: Checks) -> Result<(), String> {
    let setup = Setup { include_dirs: Vec::new(), checks, max_steps: MAX_STEPS };
    run(path, &setup).map_err(|failure| match failure {
        Failure::Unsupported(what) => format!("unsupported: {what}"),
        Failure::Endless => "it does not terminate".to_owned(),
        Failure::Wrong(what) => what,
    })
}

/// Compiles and runs a program; says what went wrong.
fn native(path: &Path, optimise: &str) -> Result<(), String> {
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
        Err(_) => return Ok(()),
    };
    if !compiled.status.success() {
        return Err(format!("cc: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let run = Command::new(&binary).output().map_err(|error| error.to_string())?;
    let _ = std::fs::remove_file(&binary);
    if run.status.success() {
        Ok(())
    } else {
        Err(format!("natively {}: {}", run.status, String::from_utf8_lossy(&run.stderr)))
    }
}

#[test]
fn programs_mean_what_the_compiler_says() {
    let mut failures = Vec::new();
    for path in programs() {
        let races = Checks { foreign_accesses: true, ..Checks::default() };
        let overflows = Checks { overflow: true, ..Checks::default() };
        for (what, result) in [
            ("-O0", native(&path, "-O0")),
            ("-O2", native(&path, "-O2")),
            ("interpreted", interpreted(&path, Checks::default())),
            ("interpreted for races", interpreted(&path, races)),
            ("interpreted for overflows", interpreted(&path, overflows)),
        ] {
            if let Err(why) = result {
                failures.push(format!("{} ({what}): {why}", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{} runs differ:\n{}", failures.len(), failures.join("\n"));
}
