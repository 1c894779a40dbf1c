//! `verify --proof` and `check-proof`: evidence is written, read and checked again in a process of its own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, threadproof};
use std::path::{Path, PathBuf};

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name)
}

/// Verifies a program and gives the verdict and the certificate's path.
fn verified(folder: &Path, name: &str, property: &str, options: &[&str]) -> (String, PathBuf) {
    let proof = folder.join(name.replace('/', ".") + property + &options.concat().replace(['-', '/'], ""));
    let output = threadproof()
        .args(["verify", "--timeout", "120s", "--property", property, "--proof"])
        .arg(&proof)
        .args(options)
        .arg(program(name))
        .output()
        .unwrap();
    (last_line(&output), proof)
}

fn checked(proof: &Path, name: &str) -> String {
    last_line(&threadproof().arg("check-proof").args([proof, &program(name)]).output().unwrap())
}

#[test]
fn evidence_of_every_kind_passes_its_check_again() {
    let folder = tempfile::tempdir().unwrap();
    for (name, property, options, verdict) in [
        ("locks/spinlock.c", "unreach-call", &["--engine", "explore"][..], "true"),
        ("locks/spinlock.c", "unreach-call", &["--engine", "impact"], "true"),
        ("locks/spinlock.c", "unreach-call", &["--engine", "ufo"], "true"),
        ("locks/spinlock.c", "unreach-call", &["--engine", "cpa"], "true"),
        ("locks/spinlock.c", "unreach-call", &["--assume", "no-undefined-behaviour"], "true"),
        ("races/counter_locked.c", "no-data-race", &[], "true"),
        ("races/counter_plain_broken.c", "no-data-race", &[], "false(no-data-race)"),
        ("weak-memory/message_passing_release_acquire.c", "unreach-call", &["--memory-model", "c11"], "true"),
        ("weak-memory/message_passing.c", "unreach-call", &["--memory-model", "arm"], "false(unreach-call)"),
        ("weak-memory/store_buffering.c", "unreach-call", &["--memory-model", "tso"], "false(unreach-call)"),
        ("weak-memory/store_buffering_fenced.c", "unreach-call", &["--memory-model", "tso"], "true"),
    ] {
        let (answer, proof) = verified(folder.path(), name, property, options);
        assert_eq!(answer, format!("verdict: {verdict}"), "{name} {options:?}");
        assert_eq!(checked(&proof, name), answer, "{name} {options:?}");
    }
}

#[test]
fn evidence_about_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, proof) =
        verified(folder.path(), "locks/spinlock.c", "unreach-call", &["--engine", "impact"]);
    assert_eq!(answer, "verdict: true");
    let other = checked(&proof, "races/counter_plain_broken.c");
    assert!(other.starts_with("verdict: unknown(check failed"), "{other}");
    let text = std::fs::read_to_string(&proof).unwrap();
    let changes = [
        (
            "no-undefined",
            text.replace(r#""discharged":[["UndefinedBehaviour""#, r#""discharged":[["NoOverflow""#),
        ),
        ("property", text.replacen(r#""property":"UnreachCall""#, r#""property":"NoDeadlock""#, 1)),
        ("model", text.replacen(r#""memory_model":"Sc""#, r#""memory_model":"Tso""#, 1)),
    ];
    for (name, changed) in changes {
        assert_ne!(changed, text, "{name}");
        let path = folder.path().join(name);
        std::fs::write(&path, changed).unwrap();
        let answer = checked(&path, "locks/spinlock.c");
        assert!(answer.starts_with("verdict: unknown(check failed"), "{name}: {answer}");
    }
}

#[test]
fn files_that_are_no_certificates_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proof.json");
    for text in ["", "{}", "[1]", "int main(void) { return 0; }"] {
        std::fs::write(&path, text).unwrap();
        let output =
            threadproof().arg("check-proof").args([&path, &program("locks/spinlock.c")]).output().unwrap();
        assert_eq!(
            (last_line(&output).as_str(), output.status.code()),
            ("verdict: unknown(input error)", Some(2))
        );
        assert!(stderr(&output).contains("proof.json`: it is no certificate"), "{}", stderr(&output));
    }
    let output = threadproof()
        .args(["verify", "--proof", "proof.json"])
        .arg(program("locks/spinlock.c"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--proof is about one property"), "{}", stderr(&output));
}
