//! Developers' chores: `cargo xtask check` is everything that must hold before a change lands.
//!
//! | step | what it runs |
//! |---|---|
//! | toolchain | the compiler is the release that `Cargo.toml` names: other releases format and lint differently |
//! | format | `cargo fmt --all --check` |
//! | tidy | [`tidy`]: the house rules that no other tool knows |
//! | dependencies | [`dependencies`]: licences, sources, versions |
//! | clippy | all targets, warnings denied; once more with the feature `z3` |
//! | doc | `cargo doc`, warnings and broken links denied |
//! | release build | what README's examples run |
//! | tests | `cargo test` of the workspace; whole programs run the binary of the development build, which is optimised a little |
//! | readme | [`readme`]: every example of README.md, docs and the guide prints what it says |
//! | guide | `mdbook build`, where mdBook is installed |

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod compare;
mod csmith;
mod dependencies;
mod dist;
mod links;
mod readme;
mod table;
mod tidy;
mod workspace;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;
use workspace::{build_release, cargo, cargo_with, root};

const USAGE: &str = "usage: cargo xtask COMMAND

  check                 everything that must hold: what CI runs
  tidy                  the house rules that no other tool knows
  dependencies          licences, sources and versions of what we depend on
  readme [--update]     run the examples of README.md and docs; with --update rewrite what they print
  dist                  an archive with a binary (static where the target for musl is installed), tried before it is packed
  bench-compare REV REV instructions that two revisions execute (needs valgrind)

  table impara DIR [SECONDS]              Table II of the paper on Impact for threads, on SV-COMP tasks
  table weak [SECONDS]                    Table III of the same paper: weak memory
  table redcomp [SECONDS]                 P1-n and P2-n for n = 1, 5, 10, 50, 100, with and without reduction
  table cpa [DOMAIN [SECONDS [FOLDER]]]   what the options of the configurable program analysis change
  table ufo [SECONDS [FOLDER]]            the five configurations of the UFO engine on the sequential programs
  csmith [N [SEED]]                       N random programs of csmith, in our interpreter and natively
  redcomp 1|2 N [broken]                  print the program P1-N or P2-N of the RedComp paper";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match &words[..] {
        ["check"] => check(),
        ["tidy"] => tidy::check(&root()),
        ["dependencies"] => dependencies::check(&root()),
        ["readme"] => build_release().and_then(|()| readme::check(&root())),
        ["readme", "--update"] => build_release().and_then(|()| readme::update(&root())),
        ["dist"] => dist::dist(),
        ["bench-compare", before, after] => compare::revisions(before, after),
        ["table", name, rest @ ..] => table::print(name, rest),
        ["csmith", rest @ ..] => csmith::compare_programs(&root(), rest),
        ["redcomp", rest @ ..] => table::redcomp::print_program(rest),
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) if message == USAGE => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn check() -> Result<(), String> {
    let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
    let with_z3 = [&clippy[..3], &["--features", "z3"], &clippy[3..]].concat();
    // Modules are documented for those who work on them, with links to what is private.
    let doc = ["doc", "--workspace", "--no-deps", "--document-private-items", "--quiet"];
    let doc_flags = "-D warnings -A rustdoc::private_intra_doc_links";
    step("toolchain", || workspace::check_toolchain(&root()))?;
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("tidy", || tidy::check(&root()))?;
    step("dependencies", || dependencies::check(&root()))?;
    step("clippy", || cargo(&clippy))?;
    step("clippy with z3", || cargo(&with_z3))?;
    step("doc", || cargo_with(&doc, &[("RUSTDOCFLAGS", doc_flags)]))?;
    step("release build", build_release)?;
    step("tests", || cargo(&["test", "--workspace", "--quiet"]))?;
    step("readme", || readme::check(&root()))?;
    step("guide", || guide(&root()))
}

/// Builds the guide where mdBook is installed; compiling that would take longer than all tests of it are worth.
fn guide(root: &Path) -> Result<(), String> {
    if Command::new("mdbook").arg("--version").output().is_err() {
        eprintln!("mdbook is not installed: the guide is not built");
        return Ok(());
    }
    let mut build = Command::new("mdbook");
    build.args(["build", "--dest-dir"]).arg(workspace::target().join("guide")).arg(root.join("docs/guide"));
    workspace::output_of(&mut build).map(|_| ())
}

fn step(name: &str, run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let start = Instant::now();
    eprintln!("== {name}");
    run().map_err(|e| format!("{name}: {e}"))?;
    eprintln!("== {name}: ok ({:.1} s)", start.elapsed().as_secs_f64());
    Ok(())
}
