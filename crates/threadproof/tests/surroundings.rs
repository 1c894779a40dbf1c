//! Functions that the program does not define, as a user meets them: tables, policies, assumptions and blockers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, stdout, threadproof};
use std::process::Output;

const WRITES: &str = "\
#include <assert.h>
int frob(int *p);
int x;
int main(void) {
  int *p = &x;
  if (frob(p) == 3)
    assert(x == 0);
  return 0;
}
";

/// Verifies a program with options; files of other names can be given beside it.
fn verify(program: &str, files: &[(&str, &str)], options: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("prog.c"), program).unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(path(name), text).unwrap());
    let mut command = threadproof();
    command
        .args(["verify", "prog.c", "--timeout", "30s"])
        .args(options)
        .current_dir(&folder)
        .output()
        .unwrap()
}

#[test]
fn policies_for_undefined_functions() {
    let verdict = |options: &[&str]| last_line(&verify(WRITES, &[], options));
    assert_eq!(verdict(&["--undefined-functions", "pure"]), "verdict: true");
    assert_eq!(verdict(&[]), "verdict: false(unreach-call)");
    let unrelated = WRITES.replace("x == 0", "p == &x");
    let output = verify(&unrelated, &[], &[]);
    assert_eq!(last_line(&output), "verdict: true", "{}", stderr(&output));
    let anything = verdict(&["--undefined-functions", "anything"]);
    assert!(anything.starts_with("verdict: unknown(unsupported: call of `frob`"), "{anything}");
    let output = verify(WRITES, &[], &["--undefined-functions", "pure"]);
    assert!(stderr(&output).contains("assumed: prog.c:6: `frob` is not defined"), "{}", stderr(&output));
}

#[test]
fn tables_and_stubs_define_functions() {
    let table = "# ours\nfrob: int frob(int *p); rw1[obj]; 0..2|-5; -\n";
    let output = verify(WRITES, &[("frob.tbl", table)], &["--models", "frob.tbl"]);
    assert_eq!(last_line(&output), "verdict: true", "{}", stderr(&output));
    let table = "frob: int frob(int *p); rw1[obj]; >=0; -\n";
    let output = verify(WRITES, &[("frob.tbl", table)], &["--models", "frob.tbl"]);
    assert_eq!(last_line(&output), "verdict: false(unreach-call)", "{}", stderr(&output));
    let stub = "int frob(int *p) { return *p + 3; }\n";
    assert_eq!(last_line(&verify(WRITES, &[("stub.c", stub)], &["stub.c"])), "verdict: true");
    let output =
        verify(WRITES, &[("frob.tbl", "frob: int frob(int *p); w1[; any; -\n")], &["--models", "frob.tbl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("line 1: `w1[`"), "{}", stderr(&output));
}

#[test]
fn a_counterexample_says_what_it_assumes() {
    let program =
        "#include <assert.h>\nint frob(int);\nint main(void) {\n  assert(frob(1) != -7);\n  return 0;\n}\n";
    let output = verify(program, &[], &[]);
    assert!(stdout(&output).contains("assumes that `frob` can return -7 (prog.c:4)"), "{}", stdout(&output));
    let output = verify(program, &[], &["--format", "json"]);
    assert!(stdout(&output).contains("prog.c:4: `frob` can return -7"), "{}", stdout(&output));
    let output = verify(&WRITES.replace("x == 0", "x != 5"), &[], &[]);
    for expected in
        ["assumes that `frob` can return 3 (prog.c:6)", "assumes that `frob` can write 5 to `x` (prog.c:7)"]
    {
        assert!(stdout(&output).contains(expected), "{}", stdout(&output));
    }
}

#[test]
fn all_blockers_are_listed() {
    let program = "\
#include <ftw.h>
#include <sys/socket.h>
int frob(int **p, void *walk);
int walk(const char *p, const struct stat *s, int f) { return 0; }
int main(int argc, char **argv) {
  struct msghdr v = {0};
  int *p = &argc;
  if (argc > 2) ftw(\".\", walk, 3);
  if (argc > 3) recvmsg(0, &v, 1);
  recvmsg(1, &v, 1);
  return frob(&p, walk);
}
";
    let output = verify(program, &[], &[]);
    let said = stderr(&output);
    for expected in
        ["prog.c:8: call of `ftw`", "call of `recvmsg`", "prog.c:11: `frob`", "write a stub", "--models"]
    {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    assert_eq!(said.matches("blocked:").count(), 3, "{said}");
    let json = stdout(&verify(program, &[], &["--format", "json"]));
    assert!(json.contains("\"blockers\":[{"), "{json}");
}
