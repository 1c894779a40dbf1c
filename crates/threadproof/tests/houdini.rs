//! Programs whose proofs of memory safety need several simple facts at once, by Houdini's algorithm alone. (That it proves nothing wrong is up to `certify`, which
//! checks every proof.)

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, threadproof};
use testkit::corpus;

fn verdict(name: &str) -> String {
    let mut command = threadproof();
    command.args(["verify", "--engine", "houdini", "--timeout", "60s", "--property", "valid-memsafety"]);
    let output = command.arg(corpus::path(&format!("memory_safety/{name}.c"))).output().unwrap();
    assert!(last_line(&output).starts_with("verdict: "), "{name}: {}", stderr(&output));
    last_line(&output)
}

#[test]
fn strings_and_countdowns_of_input_length_are_proved() {
    for name in ["string_of_input_length", "counts_down"] {
        assert_eq!(verdict(name), "verdict: true", "{name}");
        let broken = verdict(&format!("{name}_broken"));
        assert!(broken.starts_with("verdict: unknown"), "{name}_broken: {broken}");
    }
}
