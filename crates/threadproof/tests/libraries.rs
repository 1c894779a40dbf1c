//! Libraries without `main`, verified with their most general client: `tests/libraries/`.
//!
//! The files have the annotations of `tests/programs/`. A violation that is expected has to be found, with the generated client alone; a proof that is expected has
//! to be found unless the file says `auto: unknown`; the opposite of an expectation is a bug.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, stdout, threadproof};
use std::path::PathBuf;
use std::process::Command;
use testkit::corpus::{self, Annotated};

fn libraries() -> Vec<Annotated> {
    let files = corpus::files_below(&corpus::root().join("tests/libraries"), &["c"]);
    assert!(files.len() >= 8, "{files:?}");
    files.iter().map(|file| Annotated::read(file).unwrap()).collect()
}

#[test]
fn libraries_have_the_verdicts_that_they_claim() {
    for library in libraries() {
        assert_eq!(library.better_name(), None, "{}", library.name);
        for (property, holds) in &library.expectations {
            let mut command = threadproof();
            // Where no answer is demanded, a wrong one has less time to show up.
            let timeout = if library.is_unknown_to("auto") { "3s" } else { "20s" };
            command.args(["verify", "--library", "--timeout", timeout, "--property", property]);
            let output = command.args(&library.options).arg(&library.path).output().unwrap();
            let verdict = last_line(&output);
            let claim = format!("{} {property} {holds}: {verdict}\n{}", library.name, stderr(&output));
            if *holds {
                let excused = library.is_unknown_to("auto") && verdict.starts_with("verdict: unknown");
                assert!(excused || verdict == "verdict: true", "{claim}");
            } else {
                assert_eq!(verdict, format!("verdict: false({property})"), "{claim}");
            }
        }
    }
}

/// What is written is what is verified: the same verdict, and C that a compiler takes.
#[test]
fn the_written_client_is_the_one_that_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    for library in libraries() {
        let client = folder.path().join("client.c");
        let output = threadproof().args(["harness", "-o"]).arg(&client).arg(&library.path).output().unwrap();
        assert!(output.status.success(), "{}: {}", library.name, stderr(&output));
        let compiled = Command::new("cc")
            .args(["-std=gnu11", "-Wall", "-Werror", "-Wno-unused", "-pthread", "-fsyntax-only"])
            .arg(&client)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}: {}", library.name, stderr(&compiled));
        if let Some((property, false)) = library.expectations.first() {
            let args = ["verify", "--timeout", "20s", "--property", property];
            let verdict = last_line(&threadproof().args(args).arg(&client).output().unwrap());
            assert_eq!(verdict, format!("verdict: false({property})"), "{}", library.name);
        }
    }
}

fn library(name: &str) -> PathBuf {
    corpus::root().join("tests/libraries").join(name)
}

#[test]
fn entries_narrow_the_client() {
    let both = threadproof().args(["harness"]).arg(library("counter.c")).output().unwrap();
    assert!(
        stdout(&both).contains("client_call_counter_get();")
            && stdout(&both).contains("client_call_counter_add();")
    );
    let one =
        threadproof().args(["harness", "--entry", "counter_add"]).arg(library("counter.c")).output().unwrap();
    assert!(
        stdout(&one).contains("client_call_counter_add();")
            && !stdout(&one).contains("client_call_counter_get();")
    );
    // Clients that only read do not race.
    let reading = threadproof()
        .args(["verify", "--timeout", "20s", "--library", "--property", "no-data-race"])
        .args(["--entry", "counter_get", "--clients", "any", "--assume", "no-undefined-behaviour"])
        .arg(library("counter_broken.c"))
        .output()
        .unwrap();
    assert_eq!(last_line(&reading), "verdict: true", "{}", stderr(&reading));
    let unknown =
        threadproof().args(["harness", "--entry", "counter_sub"]).arg(library("counter.c")).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("exports no function 'counter_sub'"), "{}", stderr(&unknown));
}

#[test]
fn null_pointers_are_handed_over_if_asked_for() {
    let args = ["verify", "--timeout", "20s", "--library", "--property", "valid-deref"];
    let output = threadproof().args(args).arg("--may-be-null").arg(library("log.c")).output().unwrap();
    assert_eq!(last_line(&output), "verdict: false(valid-deref)", "{}", stderr(&output));
}

/// Merged and preprocessed files have their own declarations, which headers would contradict.
#[test]
fn files_without_headers_are_libraries_too() {
    let folder = tempfile::tempdir().unwrap();
    let preprocessed = folder.path().join("counter.i");
    let output = Command::new("cc")
        .args(["-E", "-P", "-std=gnu11"])
        .arg(library("counter_broken.c"))
        .output()
        .unwrap();
    std::fs::write(&preprocessed, stdout(&output)).unwrap();
    let args = ["verify", "--timeout", "20s", "--library", "--property", "no-data-race"];
    let output = threadproof().args(args).arg(&preprocessed).output().unwrap();
    assert_eq!(last_line(&output), "verdict: false(no-data-race)", "{}", stderr(&output));
}

#[test]
fn options_about_clients_need_a_library() {
    for option in [&["--init", "start"][..], &["--clients", "any"], &["--may-be-null"]] {
        let output = threadproof().arg("verify").args(option).arg(library("counter.c")).output().unwrap();
        assert!(stderr(&output).contains("add --library"), "{option:?}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn directed_search_shows_races() {
    for name in ["counter_broken.c", "pool_broken.c", "log_broken.c"] {
        let args = ["verify", "--library", "--timeout", "20s", "--engine", "directed"];
        let output = threadproof()
            .args(args)
            .args(["--property", "no-data-race"])
            .arg(library(name))
            .output()
            .unwrap();
        assert_eq!(last_line(&output), "verdict: false(no-data-race)", "{name}: {}", stderr(&output));
    }
}
