//! `cargo xtask csmith N [SEED]`: the front end and the interpreter against the system compiler on N of csmith's programs.
//!
//! The comparison is a test of the frontend, `crates/frontend/tests/csmith.rs`; this only says how many, and runs it in release mode.

use std::path::Path;
use std::process::Command;

/// `csmith [N [SEED]]`.
pub fn compare_programs(root: &Path, words: &[&str]) -> Result<(), String> {
    let number = |at: usize, default: u64| {
        words.get(at).map_or(Ok(default), |s| s.parse().map_err(|_| format!("{s} is no number")))
    };
    compare(root, number(0, 100)?, number(1, 1)?)
}

/// Runs the comparison on `count` programs from `seed` on.
fn compare(root: &Path, count: u64, seed: u64) -> Result<(), String> {
    if Command::new("csmith").arg("--version").output().is_err() {
        return Err("csmith is not installed (Debian: csmith and libcsmith-dev)".to_owned());
    }
    let status = Command::new("cargo")
        .args(["test", "--release", "-p", "threadproof-frontend", "--test", "csmith"])
        .args(["--", "--ignored", "--nocapture"])
        .env("THREADPROOF_CSMITH", count.to_string())
        .env("THREADPROOF_SEED", seed.to_string())
        .current_dir(root)
        .status()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if status.success() { Ok(()) } else { Err("csmith's programs do not all compute the same".to_owned()) }
}
