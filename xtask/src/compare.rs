//! `cargo xtask bench-compare REV REV`: how many instructions two revisions execute for the same work.
//!
//! Instructions, as callgrind counts them, are the same in every run and on a busy machine; seconds are not. Each revision is checked
//! out, built and measured through its command line, which changes less often than its functions do: so any two revisions can be
//! compared. Every [`Workload`] exercises the part that it
//! names more than others do. Programs are those of the working copy, for both alike.

use crate::workspace::{cargo_with, output_of, root, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Something to measure.
struct Workload {
    /// The part that it exercises.
    name: &'static str,
    /// The engine that verifies the program; `None` if it is only read and shown.
    engine: Option<&'static str>,
    /// A file below the repository's root.
    file: &'static str,
}

/// All that decides how much work a verification is, besides the engine: defaults change from revision to revision.
const PINNED: [&str; 6] =
    ["--property", "unreach-call", "--assume", "no-undefined-behaviour", "--timeout", "1h"];

#[rustfmt::skip] // a table
const WORKLOADS: [Workload; 6] = [
    Workload { name: "start-up", engine: None, file: "examples/locked_counter.c" },
    Workload { name: "parser", engine: None, file: "tests/programs/sequential/dispatch/handshake_40.c" },
    Workload { name: "interpreter", engine: Some("explore"), file: "tests/programs/philosophers/three_ordered.c" },
    Workload { name: "solver", engine: Some("ufo"), file: "tests/programs/sequential/dispatch/traffic_light.c" },
    Workload { name: "implication", engine: Some("impact"), file: "tests/programs/mutual_exclusion/szymanski.c" },
    Workload { name: "cover search", engine: Some("impact"), file: "tests/programs/mutual_exclusion/lamport_fast.c" },
];

/// Measures both revisions and prints a table.
pub fn revisions(before: &str, after: &str) -> Result<(), String> {
    output_of(Command::new("valgrind").arg("--version"))?;
    let binaries = [build(before)?, build(after)?];
    println!("| part | {before} | {after} | ratio |");
    println!("|---|---:|---:|---:|");
    for workload in &WORKLOADS {
        let [old, new] = [instructions(&binaries[0], workload)?, instructions(&binaries[1], workload)?];
        println!("| {} | {old} | {new} | {:.3} |", workload.name, new as f64 / old.max(1) as f64);
    }
    Ok(())
}

/// Builds a revision beside the working copy, with the dependencies that are built already; the binary is kept.
fn build(revision: &str) -> Result<PathBuf, String> {
    let git = |arguments: &[&str]| output_of(Command::new("git").args(arguments).current_dir(root()));
    let commit = git(&["rev-parse", "--verify", &format!("{revision}^{{commit}}")])?.trim().to_owned();
    let folder = target().join("compare").join(&commit);
    let (binary, archive) = (folder.with_extension("binary"), folder.with_extension("tar"));
    if binary.exists() {
        return Ok(binary);
    }
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    git(&["archive", "--output", &archive.display().to_string(), &commit])?;
    output_of(
        Command::new("tar").arg("--extract").arg("--file").arg(&archive).arg("--directory").arg(&folder),
    )?;
    let (manifest, target) = (folder.join("Cargo.toml").display().to_string(), target());
    cargo_with(
        &["build", "--release", "--quiet", "--package", "threadproof", "--manifest-path", &manifest],
        &[("CARGO_TARGET_DIR", &target.display().to_string())],
    )?;
    std::fs::copy(target.join("release/threadproof"), &binary).map_err(|e| e.to_string())?;
    let removed = std::fs::remove_dir_all(&folder).and_then(|()| std::fs::remove_file(&archive));
    removed.map_err(|e| e.to_string())?;
    Ok(binary)
}

/// How many instructions a build executes for a workload.
fn instructions(binary: &Path, workload: &Workload) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(binary);
    match workload.engine {
        None => command.arg("show"),
        Some(engine) => command.args(["verify", "--engine", engine]).args(PINNED),
    };
    let output = command.arg(workload.file).current_dir(root()).output();
    let output = output.map_err(|e| format!("valgrind could not run: {e}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    // A revision that does not know an option, or has no proof, did other work.
    if !output.status.success() {
        return Err(format!("{}: {} has no answer: {said}", workload.name, binary.display()));
    }
    collected(&said).ok_or_else(|| format!("{}: callgrind counted nothing: {said}", workload.name))
}

/// The number in callgrind's line `Collected : n`.
fn collected(text: &str) -> Option<u64> {
    let line = text.lines().rev().find(|line| line.contains("Collected :"))?;
    line.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read() {
        assert_eq!(collected("==1== \n==1== Events    : Ir\n==1== Collected : 4711\n"), Some(4711));
        assert_eq!(collected("valgrind: cannot execute"), None);
    }

    #[test]
    fn workloads_exist() {
        for workload in &WORKLOADS {
            assert!(root().join(workload.file).is_file(), "{} should exist", workload.file);
        }
    }
}
