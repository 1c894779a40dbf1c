//! `cargo xtask dist`: an archive with the binary, its manual pages and completions, tried before it is packed.
//!
//! The binary is static where the target for musl is installed (`rustup target add x86_64-unknown-linux-musl`); otherwise it is one for the C library of this machine, which is
//! said. Before it is packed, the binary verifies two examples, and has to give the known verdicts.

use crate::workspace::{cargo, output_of, root, target};
use std::path::Path;
use std::process::Command;

/// The target whose binaries need no C library.
const STATIC: &str = "x86_64-unknown-linux-musl";

/// Builds, tries and packs.
pub fn dist() -> Result<(), String> {
    let is_static = has_target(STATIC);
    let mut build = vec!["build", "--release", "--locked", "--bin", "threadproof"];
    if is_static {
        build.extend(["--target", STATIC]);
    } else {
        eprintln!("the target {STATIC} is not installed: the binary needs the C library of this machine");
    }
    cargo(&build)?;
    let folder = if is_static { target().join(STATIC) } else { target() };
    let binary = folder.join("release").join("threadproof");
    try_out(&binary)?;
    let kind = if is_static { STATIC } else { "x86_64-unknown-linux-gnu" };
    let name = format!("threadproof-{}-{kind}", env!("CARGO_PKG_VERSION"));
    let archive = pack(&binary, &name)?;
    println!("{}", archive.display());
    Ok(())
}

/// Returns true if the compiler has a standard library for a target.
fn has_target(name: &str) -> bool {
    let sysroot = output_of(Command::new("rustc").args(["--print", "sysroot"]));
    sysroot.is_ok_and(|sysroot| Path::new(sysroot.trim()).join("lib/rustlib").join(name).join("lib").is_dir())
}

fn try_out(binary: &Path) -> Result<(), String> {
    for (example, verdict) in [
        ("examples/locked_counter.c", "verdict: true"),
        ("examples/race_counter.c", "verdict: false(unreach-call)"),
    ] {
        let output = Command::new(binary).args(["verify", example]).current_dir(root()).output();
        let output = output.map_err(|error| format!("`{}` could not run: {error}", binary.display()))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = printed.lines().last().unwrap_or_default();
        if last != verdict {
            return Err(format!("the verdict about {example} should be `{verdict}`, not `{last}`"));
        }
    }
    Ok(())
}

/// Puts everything into a folder, and that into an archive with a checksum beside it.
fn pack(binary: &Path, name: &str) -> Result<std::path::PathBuf, String> {
    let failed = |error: std::io::Error| error.to_string();
    let dist = target().join("dist");
    let folder = dist.join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder.join("completions")).map_err(failed)?;
    std::fs::copy(binary, folder.join("threadproof")).map_err(failed)?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        std::fs::copy(root().join(file), folder.join(file)).map_err(failed)?;
    }
    output_of(Command::new(binary).arg("man").arg(folder.join("man")))?;
    for shell in ["bash", "zsh", "fish"] {
        let script = output_of(Command::new(binary).args(["completions", shell]))?;
        std::fs::write(folder.join("completions").join(shell), script).map_err(failed)?;
    }
    let archive = format!("{name}.tar.gz");
    output_of(Command::new("tar").args(["--create", "--gzip", "--file", &archive, name]).current_dir(&dist))?;
    let sum = output_of(Command::new("sha256sum").arg(&archive).current_dir(&dist))?;
    std::fs::write(dist.join(format!("{archive}.sha256")), sum).map_err(failed)?;
    Ok(dist.join(archive))
}
