//! The sequential programs of the test set in all five configurations of the UFO engine.
//!
//! No answer may be the opposite of what a program expects; no answer at all is allowed, but counted. `THREADPROOF_SECONDS=n` sets
//! how long each question may take.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, threadproof};
use std::path::{Path, PathBuf};

const CONFIGURATIONS: [(&str, &str); 5] =
    [("none", "on"), ("cartesian", "on"), ("boolean", "on"), ("cartesian", "off"), ("boolean", "off")];

fn c_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            c_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "c") {
            found.push(path);
        }
    }
}

#[test]
fn no_configuration_gives_the_opposite_verdict() {
    let seconds = std::env::var("THREADPROOF_SECONDS").unwrap_or_else(|_| "2".to_owned());
    let mut files = Vec::new();
    c_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/sequential"), &mut files);
    assert!(files.len() >= 40, "{} programs are too few", files.len());
    let (mut wrong, mut solved) = (Vec::new(), [0; CONFIGURATIONS.len()]);
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let expected = text.lines().find_map(|l| l.strip_prefix("// expect: unreach-call ")).unwrap();
        let wanted = if expected == "true" { "verdict: true" } else { "verdict: false(unreach-call)" };
        for (n, (post, interpolate)) in CONFIGURATIONS.iter().enumerate() {
            let mut command = threadproof();
            command.args(["verify", "--engine", "ufo", "--timeout", &format!("{seconds}s")]);
            command.args(["--post", post, "--interpolate", interpolate]);
            let output = command.arg(file).output().unwrap();
            let verdict = last_line(&output);
            if verdict == wanted {
                solved[n] += 1;
            } else if !matches!(
                verdict.as_str(),
                "verdict: unknown(timeout)" | "verdict: unknown(solver gave up)"
            ) {
                wrong.push(format!(
                    "{} with --post {post} --interpolate {interpolate}: {verdict}",
                    file.display()
                ));
            }
        }
    }
    println!("solved of {}: {solved:?}", files.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(solved.iter().all(|n| *n * 2 > files.len()), "only {solved:?} of {} are solved", files.len());
}
