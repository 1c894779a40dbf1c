//! `--fences`: what is proposed for programs whose fences are known.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, threadproof};

/// Fences are proposed where they are needed, of the kind that is needed, and no others.
#[test]
fn fences_are_proposed_and_found_superfluous() {
    let check = |name: &str, model: &str, expected: &[&str], verdict: &str| {
        let path = testkit::corpus::path(&format!("weak-memory/{name}.c"));
        let output = threadproof()
            .args(["verify", "--timeout", "60s", "--memory-model", model, "--fences"])
            .arg(path)
            .output()
            .unwrap();
        assert_eq!(last_line(&output), format!("verdict: {verdict}"), "{name} {model}");
        let said = stderr(&output);
        let notes: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("note: ")).collect();
        let lines: Vec<&str> = notes.iter().map(|note| note.split(".c:").last().unwrap()).collect();
        assert_eq!(lines, expected, "{name} {model}");
    };
    check(
        "store_buffering_one_fence",
        "tso",
        &["24: needs atomic_thread_fence(memory_order_seq_cst) before it"],
        "false(robustness)",
    );
    check("message_passing", "tso", &["the program is robust without further fences"], "true");
    check(
        "message_passing",
        "c11",
        &[
            "16: needs atomic_thread_fence(memory_order_release) before it",
            "23: needs atomic_thread_fence(memory_order_acquire) before it",
        ],
        "false(robustness)",
    );
}
