//! `verify --witness` and `validate`: what is written is confirmed, what was changed is not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;
#[path = "data/witness_format.rs"]
mod format;

use common::{last_line, stderr, threadproof};
use std::path::{Path, PathBuf};

fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(name)
}

/// Verifies a program; its verdict, and the text of the witness.
fn witnessed(folder: &Path, file: &Path, property: &str) -> (String, String) {
    let witness = folder.join("written.yml");
    let output = threadproof()
        .args(["verify", "--timeout", "120s", "--property", property, "--witness"])
        .args([&witness, file])
        .output()
        .unwrap();
    (last_line(&output), std::fs::read_to_string(witness).unwrap())
}

/// What `validate` says of a witness: its last line, and its standard error.
fn validated(folder: &Path, witness: &str, file: &Path) -> (String, String) {
    let path = folder.join("witness.yml");
    std::fs::write(&path, witness).unwrap();
    let output = threadproof().args(["validate", "--timeout", "30s"]).args([&path, file]).output().unwrap();
    (last_line(&output), stderr(&output))
}

#[test]
fn our_witnesses_are_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, property, verdict) in [
        ("races/counter_plain_broken.c", "no-data-race", "false(no-data-race)"),
        ("deadlock/inversion_two_broken.c", "no-deadlock", "false(no-deadlock)"),
        ("mutual_exclusion/peterson_broken.c", "unreach-call", "false(unreach-call)"),
        ("memory_safety/free_by_another_thread_broken.c", "valid-memsafety", "false(valid-deref)"),
        ("memory_safety/index_from_input_broken.c", "valid-memsafety", "false(valid-deref)"),
        ("locks/spinlock.c", "unreach-call", "true"),
        ("races/counter_locked.c", "no-data-race", "true"),
    ] {
        let file = program(name);
        let (answer, witness) = witnessed(folder.path(), &file, property);
        assert_eq!(answer, format!("verdict: {verdict}"), "{name}");
        format::check(&witness);
        assert_eq!(validated(folder.path(), &witness, &file).0, answer, "{name}");
    }
}

const INPUT: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x == 71 && y == x + 1)
        reach_error();
    return 0;
}
";

#[test]
fn a_changed_violation_is_not_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("input.c");
    std::fs::write(&file, INPUT).unwrap();
    let (answer, witness) = witnessed(folder.path(), &file, "unreach-call");
    assert_eq!(answer, "verdict: false(unreach-call)");
    assert_eq!(validated(folder.path(), &witness, &file).0, answer);
    let value = witness.replace("72", "73");
    assert_ne!(value, witness, "the witness should name the input");
    let other = validated(folder.path(), &value, &file);
    assert!(other.0.starts_with("verdict: unknown("), "{other:?}");
    // Another text has another hash.
    std::fs::write(&file, INPUT.replace("71", "70")).unwrap();
    let other = validated(folder.path(), &witness, &file);
    assert!(!other.0.starts_with("verdict: false") && !other.0.starts_with("verdict: true"), "{other:?}");
}

const LOOP: &str = "\
extern void reach_error(void);
int main(void) {
    int i = 0;
    while (i < 10)
        i = i + 2;
    if (i != 10)
        reach_error();
    return 0;
}
";

#[test]
fn invariants_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("loop.c");
    std::fs::write(&file, LOOP).unwrap();
    let (answer, witness) = witnessed(folder.path(), &file, "unreach-call");
    assert_eq!(answer, "verdict: true");
    format::check(&witness);
    let value = witness.lines().find_map(|line| line.trim().strip_prefix("value: ")).expect("an invariant");
    let with = |other: &str| {
        let changed = witness.replace(value, &format!("\"{other}\""));
        assert_ne!(changed, witness);
        validated(folder.path(), &changed, &file)
    };
    for right in ["i <= 10 && i % 2 == 0", "i >= 0"] {
        assert_eq!(with(right).0, "verdict: true", "{right}");
    }
    for wrong in ["i < 10", "i != 4", "i++ < 100", "unknown == 0", "reach_error() == 0"] {
        let (answer, _) = with(wrong);
        assert!(
            answer.starts_with("verdict: unknown(check failed: the witness is refused"),
            "{wrong}: {answer}"
        );
    }
}

/// Inputs, so that no enumeration proves it; `i` and `j` have other meanings elsewhere.
const COUNTED: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int j;
static void other(int i) { j = i; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    unsigned k = 0;
    int i = 0, same = 0;
    other(n);
    if (n < 0)
        return 0;
    while (i < n) {
        i++; same++;
        if (k < 7) k++;
    }
    if (i != same || k > 7)
        reach_error();
    return 0;
}
";

#[test]
fn proofs_become_invariants() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("counted.c");
    std::fs::write(&file, COUNTED).unwrap();
    let (answer, witness) = witnessed(folder.path(), &file, "unreach-call");
    assert_eq!(answer, "verdict: true");
    format::check(&witness);
    assert!(witness.contains("type: \"loop_invariant\"") && witness.contains("line: 12"), "{witness}");
    assert_eq!(validated(folder.path(), &witness, &file).0, answer);
}
