//! Developers' chores: `cargo xtask check` is everything that must hold before a change lands.
//!
//! | step | what it runs |
//! |---|---|
//! | format | `cargo fmt --all --check` |
//! | clippy | all targets, warnings denied |
//! | tidy | [`tidy`]: every module teaches, no path of a machine, no leftover |
//! | tests | `cargo test` of the workspace, then the whole-program tests in release mode |
//! | readme | [`readme`]: every `console` block of README.md prints what it says |

mod cpa;
mod csmith;
mod readme;
mod redcomp;
mod tidy;
mod ufo;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "usage: cargo xtask check|tidy|readme|redcomp|ufo|cpa|csmith

  check    format, clippy, tidy, tests and the README's examples: what CI runs
  tidy     the house rules that no other tool knows
  readme   build threadproof and run the README's examples
  redcomp 1|2 N [broken]   print the program P1-N or P2-N of the RedComp paper
  ufo [SECONDS [FOLDER]]   the five configurations of the UFO engine on the sequential programs, as a table
  cpa [DOMAIN [SECONDS [FOLDER]]]   what the options of the configurable program analysis change, as a table
  csmith [N [SEED]]        N random programs of csmith's, in our interpreter and natively
  redcomp table [SECONDS]  time P1-n and P2-n for n = 1, 5, 10, 50, 100, with and without reduction";

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        Some("check") => check(),
        Some("tidy") => tidy::check(&root()),
        Some("redcomp") => return redcomp(),
        Some("cpa") => build_release().and_then(|()| cpa_table()),
        Some("ufo") => build_release().and_then(|()| ufo_table()),
        Some("csmith") => csmith_programs(),
        Some("readme") => build_release().and_then(|()| readme::check(&root())),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn redcomp() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(2).collect();
    let number = |at: usize| args.get(at).and_then(|a| a.parse::<u32>().ok());
    match (number(0), number(1), args.get(2).map(String::as_str)) {
        _ if args.first().is_some_and(|a| a == "table") => {
            let table = build_release().and_then(|()| redcomp::table(&root(), number(1).unwrap_or(60)));
            match table {
                Ok(()) => ExitCode::SUCCESS,
                Err(message) => {
                    eprintln!("xtask: {message}");
                    ExitCode::FAILURE
                }
            }
        }
        (Some(family @ (1 | 2)), Some(n), variant @ (None | Some("broken"))) => {
            print!("{}", redcomp::program(family, n, variant.is_some()));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn cpa_table() -> Result<(), String> {
    let domain = std::env::args().nth(2).unwrap_or_else(|| "value".to_owned());
    let seconds =
        std::env::args().nth(3).map_or(Ok(5), |s| s.parse().map_err(|_| format!("{s} is no number")))?;
    let folder = std::env::args().nth(4).map_or_else(|| root().join("tests/programs"), PathBuf::from);
    cpa::table(&binary(), &folder, &domain, seconds)
}

fn csmith_programs() -> Result<(), String> {
    let number = |at: usize, default: u64| {
        std::env::args().nth(at).map_or(Ok(default), |s| s.parse().map_err(|_| format!("{s} is no number")))
    };
    csmith::compare(&root(), number(2, 100)?, number(3, 1)?)
}

fn binary() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release").join("threadproof")
}

fn ufo_table() -> Result<(), String> {
    let seconds =
        std::env::args().nth(2).map_or(Ok(10), |s| s.parse().map_err(|_| format!("{s} is no number")))?;
    let folder = std::env::args().nth(3).map_or_else(|| root().join("tests/programs/sequential"), Into::into);
    ufo::table(&binary(), &folder, seconds)
}

/// The workspace's folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask should be a folder of the workspace").to_owned()
}

fn check() -> Result<(), String> {
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("clippy", || cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    step("tidy", || tidy::check(&root()))?;
    step("release build", build_release)?;
    step("tests", || cargo(&["test", "--workspace", "--quiet"]))?;
    step("readme", || readme::check(&root()))
}

fn build_release() -> Result<(), String> {
    cargo(&["build", "--release", "--quiet"])
}

fn step(name: &str, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let start = Instant::now();
    eprintln!("== {name}");
    run().map_err(|e| format!("{name}: {e}"))?;
    eprintln!("== {name}: ok ({:.1} s)", start.elapsed().as_secs_f64());
    Ok(())
}

fn cargo(args: &[&str]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(args).current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`cargo {}` failed", args.join(" "))),
        Err(error) => Err(format!("`cargo {}` could not run: {error}", args.join(" "))),
    }
}
