//! `threadproof replay`: violations happen in native programs, too; and what did not happen is not said to have happened.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stdout, threadproof};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name)
}

/// The tools that a native program needs; a machine without them is no reason to fail.
fn has_tools() -> bool {
    let found = |tool: &str| {
        let mut command = Command::new(tool);
        let silent = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        silent.status().is_ok_and(|status| status.success())
    };
    let all = ["cc", "objdump", "addr2line", "nm"].into_iter().all(found);
    if !all {
        eprintln!("not run: there are no cc, objdump, addr2line and nm");
    }
    all
}

fn trace(folder: &Path, file: &Path, property: &str) -> PathBuf {
    let trace = folder.join("trace.json");
    let output = threadproof()
        .args(["verify", "--timeout", "120s", "--property", property, "--proof"])
        .args([&trace, file])
        .output()
        .unwrap();
    assert!(last_line(&output).starts_with("verdict: false("), "{}: {}", file.display(), last_line(&output));
    trace
}

fn replay(trace: &Path, file: &Path) -> Output {
    threadproof().args(["replay", "--timeout", "20s"]).args([trace, file]).output().unwrap()
}

/// What happened in the native program, for a program with one violation.
fn replayed(file: &Path, property: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    replay(&trace(folder.path(), file, property), file)
}

#[test]
fn violations_happen_natively() {
    if !has_tools() {
        return;
    }
    let cases = [
        // A preemption between two accesses of one line; loops that wait; locks; what waits, and is woken in the order of the trace.
        ("mutual_exclusion/peterson_broken.c", "unreach-call", "fails"),
        ("conditions/wrong_waiter_broken.c", "no-deadlock", "all threads are blocked"),
        ("deadlock/inversion_two_broken.c", "no-deadlock", "all threads are blocked"),
        ("declarations/destructor_breaks_broken.c", "unreach-call", "fails"),
        ("races/counter_plain_broken.c", "no-data-race", "two threads stand before conflicting accesses"),
        ("races/compare_exchange_succeeds_broken.c", "no-data-race", "two threads stand before"),
        ("memory_safety/free_by_another_thread_broken.c", "valid-memsafety", "AddressSanitizer reports it"),
    ];
    thread::scope(|scope| {
        for (name, property, shown) in cases {
            scope.spawn(move || {
                let output = replayed(&program(name), property);
                let text = stdout(&output);
                assert_eq!(last_line(&output), "replay: reproduced", "{name}: {text}");
                assert!(text.contains(shown), "{name}: {text}");
                assert_eq!(output.status.code(), Some(1), "{name}");
            });
        }
    });
}

const INPUTS: &str = "\
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern int frob(int);
int main(int argc, char **argv) {
    int x = __VERIFIER_nondet_int();
    int y = frob(x);
    assert(!(x == 71 && y == -5 && argc == 3));
    return 0;
}
";

#[test]
fn inputs_are_those_of_the_trace() {
    if !has_tools() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("inputs.c");
    std::fs::write(&file, INPUTS).unwrap();
    let trace = trace(folder.path(), &file, "unreach-call");
    assert_eq!(last_line(&replay(&trace, &file)), "replay: reproduced");
    // About another program the trace says nothing.
    std::fs::write(&file, INPUTS.replace("71", "72")).unwrap();
    let other = last_line(&replay(&trace, &file));
    assert!(other.starts_with("replay: not reproduced ("), "{other}");
}

/// The trace needs a time that the machine's clock does not show.
#[test]
fn what_did_not_happen_is_not_reproduced() {
    if !has_tools() {
        return;
    }
    let output = replayed(&program("library/wall_clock_broken.c"), "unreach-call");
    let last = last_line(&output);
    assert!(last.starts_with("replay: not reproduced ("), "{last}");
    assert!(last.contains("not forced: "), "{last}");
    assert_eq!(output.status.code(), Some(3));
}
