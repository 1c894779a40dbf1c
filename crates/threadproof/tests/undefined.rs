//! What `true` means: an undefined execution that any engine can meet is never dropped, unless it is assumed away.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, threadproof};

const PROPERTIES: [&str; 5] = ["unreach-call", "no-deadlock", "no-data-race", "no-overflow", "termination"];

/// The verdict on a program, and what is said beside it.
fn verdict(text: &str, arguments: &[&str]) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prog.c");
    std::fs::write(&path, text).unwrap();
    let output = threadproof().arg("verify").args(arguments).arg(&path).output().unwrap();
    (last_line(&output), stderr(&output))
}

fn check(text: &str, arguments: &[&str], expected: &str) {
    let (verdict, said) = verdict(text, arguments);
    assert_eq!(verdict, format!("verdict: {expected}"), "{arguments:?} of {text}\n{said}");
}

const USE_AFTER_FREE: &str = "#include <assert.h>\n#include <stdlib.h>\n
    int main(void) { int *p = malloc(4); free(p); assert(*p == 1); return 0; }";

/// Only one input leads to it: neither exploration nor simulation meets it.
const DEEP: &str = "extern unsigned __VERIFIER_nondet_uint(void); int x;
    int main(void) {
        unsigned n = __VERIFIER_nondet_uint();
        int *p = n == 123456789 ? 0 : &x;
        *p = 1;
        return 0;
    }";

#[test]
fn an_undefined_execution_is_the_answer_to_every_question() {
    for property in PROPERTIES {
        check(USE_AFTER_FREE, &["--property", property], "false(valid-deref)");
        check(DEEP, &["--property", property], "false(valid-deref)");
    }
    // What is proved of one part of memory safety takes the others for granted.
    for property in ["valid-free", "valid-memtrack", "valid-memcleanup"] {
        check(DEEP, &["--property", property], "false(valid-deref)");
    }
}

#[test]
fn undefined_behaviour_can_be_assumed_away() {
    let arguments = ["--assume", "no-undefined-behaviour"];
    let (verdict, said) = verdict(DEEP, &arguments);
    assert_eq!(verdict, "verdict: true");
    assert!(said.contains("assumed: no execution has undefined behaviour"), "{said}");
}

#[test]
fn what_comes_before_a_failing_assertion_counts() {
    let main = |body: &str| {
        format!(
            "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\nchar b[4]; int main(void) {{ {body} assert(0); }}"
        )
    };
    check(&main("char *p = malloc(4); free(p); free(p);"), &[], "false(valid-free)");
    check(&main("char *p = malloc(4); free(p); p[0] = 1;"), &[], "false(valid-deref)");
    check(&main("memset(b, 0, 5);"), &[], "false(valid-deref)");
    for engine in ["impact", "ufo", "cpa", "explore"] {
        let arguments = ["--engine", engine, "--property", "valid-deref"];
        check(&main("memset(b, 0, 5);"), &arguments, "false(valid-deref)");
    }
}

#[test]
fn signed_overflow_wraps_or_ends() {
    let text = "#include <assert.h>\n#include <limits.h>\nint x = INT_MAX; int main(void) { x++; assert(x > 0); return 0; }";
    check(text, &["--assume", "no-undefined-behaviour"], "false(unreach-call)");
    check(text, &["--assume", "no-undefined-behaviour", "--signed-overflow", "ends"], "true");
    check(text, &["--property", "undefined-behaviour"], "false(undefined-behaviour)");
}

#[test]
fn several_properties_have_one_verdict() {
    let text = "int main(void) { return 0; }";
    check(text, &[], "true");
    check(text, &["--property", "unreach-call,no-data-race"], "true");
    check(DEEP, &[], "false(valid-deref)");
}
