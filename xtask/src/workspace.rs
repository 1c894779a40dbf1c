//! Where things are in the workspace, and how cargo is run in it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's folder.
pub fn root() -> PathBuf {
    testkit::corpus::root()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The release build of threadproof.
pub fn binary() -> PathBuf {
    target().join("release").join("threadproof")
}

/// Makes [`binary`].
pub fn build_release() -> Result<(), String> {
    cargo(&["build", "--release", "--quiet"])
}

/// Runs cargo in the workspace's folder.
pub fn cargo(arguments: &[&str]) -> Result<(), String> {
    cargo_with(arguments, &[])
}

/// Runs cargo with some environment variables set.
pub fn cargo_with(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).envs(environment.iter().copied()).current_dir(root());
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`cargo {}` failed", arguments.join(" "))),
        Err(error) => Err(format!("`cargo {}` could not run: {error}", arguments.join(" "))),
    }
}

/// What a command prints on standard output.
pub fn output_of(command: &mut Command) -> Result<String, String> {
    let shown = format!("`{}`", command.get_program().to_string_lossy());
    let output = command.output().map_err(|e| format!("{shown} could not run: {e}"))?;
    if !output.status.success() {
        return Err(format!("{shown} failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The toolchain is pinned by `rust-version` in Cargo.toml: the compiler should be of that release.
///
/// A `rust-toolchain.toml` would do the same, but makes rustup download a second copy of a release that is installed as `stable`.
pub fn check_toolchain(root: &Path) -> Result<(), String> {
    let manifest =
        std::fs::read_to_string(root.join("Cargo.toml")).map_err(|e| format!("Cargo.toml: {e}"))?;
    let wanted = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let wanted = wanted.ok_or("Cargo.toml should have a rust-version")?.trim_matches('"');
    let rustc = output_of(Command::new("rustc").arg("--version"))?;
    let found = rustc.split_whitespace().nth(1).unwrap_or_default();
    if found == wanted || found.strip_prefix(wanted).is_some_and(|patch| patch.starts_with('.')) {
        return Ok(());
    }
    Err(format!("rustc should be {wanted}, is {found}: install that, or change rust-version in Cargo.toml"))
}
