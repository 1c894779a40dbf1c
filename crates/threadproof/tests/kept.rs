//! `--cache` and `--baseline`: what one run leaves for the next.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{last_line, stderr, stdout, threadproof};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

const RACY: &str = "\
#include <assert.h>
#include <pthread.h>
int x, y;
void *work(void *arg) { x = 1; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    x = 2;
    pthread_join(t, 0);
    assert(y == 0);
    return 0;
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn verify(&self, args: &[&str]) -> Output {
        threadproof().arg("verify").args(args).current_dir(self.0.path()).output().unwrap()
    }

    /// The files of the cache with this end.
    fn entries(&self, end: &str) -> Vec<PathBuf> {
        let all = std::fs::read_dir(self.0.path().join("kept")).unwrap().map(|entry| entry.unwrap().path());
        all.filter(|path| path.to_string_lossy().ends_with(end)).collect()
    }
}

const CACHE: [&str; 3] = ["--cache", "kept", "a.c"];

fn is_found(output: &Output) -> bool {
    stderr(output).contains("is from the cache")
}

/// The output without times.
fn timeless(text: &str) -> String {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    text.lines().map(|line| line.replace(is_digit, "") + "\n").collect()
}

#[test]
fn an_unchanged_program_is_not_searched_again() {
    let folder = Folder::new(&[("a.c", RACY)]);
    let (first, second) = (folder.verify(&CACHE), folder.verify(&CACHE));
    assert_eq!(last_line(&first), "verdict: false(no-data-race)", "{}", stderr(&first));
    assert!(!is_found(&first) && is_found(&second), "{}{}", stderr(&first), stderr(&second));
    assert_eq!((timeless(&stdout(&second)), second.status.code()), (timeless(&stdout(&first)), Some(1)));
    // The same in every form.
    for format in ["json", "sarif", "html"] {
        let form = ["--format", format, "--cache", "kept", "a.c"];
        let output = folder.verify(&form);
        assert_eq!(output.status.code(), Some(1), "{format}");
        assert!(stdout(&output).contains("no-data-race"), "{format}");
    }
    // What is kept is evidence for `check-proof`.
    let is_whole = |proof: &PathBuf| {
        // That there is no race is a proof of its own.
        !std::fs::read_to_string(proof).unwrap().contains("\"property\":\"UndefinedBehaviour\"")
    };
    let proofs: Vec<PathBuf> = folder.entries(".proof.json").into_iter().filter(is_whole).collect();
    assert!(proofs.len() >= 4);
    for proof in proofs {
        let checked =
            threadproof().arg("check-proof").arg(&proof).arg("a.c").current_dir(folder.0.path()).output();
        let checked = checked.unwrap();
        assert!(matches!(checked.status.code(), Some(0 | 1)), "{}{}", stdout(&checked), stderr(&checked));
    }
    assert_eq!(folder.entries(".proof.json").len(), folder.entries(".json").len() / 2);
}

#[test]
fn whatever_an_answer_depends_on_is_in_the_key() {
    let folder = Folder::new(&[
        ("a.c", "#include \"b.h\"\n#include <assert.h>\nint main(void) { assert(N == 1); return 0; }\n"),
        ("b.h", "#define N 1\n"),
    ]);
    let check = |args: &[&str], verdict: &str, found: bool| {
        let output = folder.verify(&[&["--property", "unreach-call"], args, &CACHE].concat());
        assert_eq!(
            (last_line(&output), is_found(&output)),
            (format!("verdict: {verdict}"), found),
            "{args:?}"
        );
    };
    check(&[], "true", false);
    check(&[], "true", true);
    check(&["--timeout", "7s"], "true", true);
    check(&["--signed-overflow", "ends"], "true", false);
    check(&["--engine", "explore"], "true", false);
    check(&["--no-cache"], "true", false);
    folder.write("table.tbl", "");
    check(&["--models", "table.tbl"], "true", false);
    folder.write("table.tbl", "# other\n");
    check(&["--models", "table.tbl"], "true", false);
    folder.write("b.h", "#define N 2\n");
    check(&[], "false(unreach-call)", false);
    check(&[], "false(unreach-call)", true);
    // The lines that a report shows belong to it.
    folder.write("b.h", "#define N 2 // two\n");
    check(&[], "false(unreach-call)", false);
    // No answer is none to keep.
    folder.write("a.c", "int unknown(int *); int main(void) { int x; unknown(&x); return 0 }\n");
    check(&[], "unknown(input error)", false);
    check(&[], "unknown(input error)", false);
}

#[test]
fn damaged_entries_are_ignored() {
    let folder = Folder::new(&[("a.c", RACY)]);
    folder.verify(&CACHE);
    for path in folder.entries(".json").iter().filter(|path| !path.to_string_lossy().ends_with(".proof.json"))
    {
        let text = std::fs::read_to_string(path).unwrap();
        std::fs::write(path, text.replace("\"violated\":\"NoDataRace\"", "\"violated\":null")).unwrap();
    }
    let output = folder.verify(&CACHE);
    assert_eq!(last_line(&output), "verdict: false(no-data-race)");
    let again = folder.verify(&["--format", "json", "--cache", "kept", "a.c"]);
    assert!(is_found(&again));
    for path in folder.entries(".json") {
        std::fs::write(path, "").unwrap();
    }
    let output = folder.verify(&CACHE);
    assert!(
        stderr(&output).contains("warning: an entry of the cache is ignored: it is cut off"),
        "{}",
        stderr(&output)
    );
    assert_eq!(last_line(&output), "verdict: false(no-data-race)");
}

#[test]
fn known_violations_do_not_fail() {
    let folder = Folder::new(&[("a.c", RACY)]);
    let written = folder.verify(&["--write-baseline", "known.json", "a.c"]);
    assert_eq!(written.status.code(), Some(1));
    let baseline: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.0.path().join("known.json")).unwrap()).unwrap();
    assert_eq!(baseline["findings"][0]["property"], "no-data-race");
    // The same violation in another line is the same one.
    folder.write("a.c", &format!("/* moved */\n\n{RACY}"));
    let args = ["--baseline", "known.json", "a.c"];
    let output = folder.verify(&args);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(stderr(&output).contains("known: no-data-race"), "{}", stderr(&output));
    assert_eq!(last_line(&output), "verdict: false(no-data-race)");
    assert!(stdout(&output).contains("false(no-data-race), known"), "{}", stdout(&output));
    let sarif = folder.verify(&["--format", "sarif", "--baseline", "known.json", "a.c"]);
    let sarif: Value = serde_json::from_str(&stdout(&sarif)).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["suppressions"][0]["kind"], "external");
    // A new one fails, and is the one that is shown.
    folder.write("a.c", &RACY.replace("y == 0", "y == 1"));
    let output = folder.verify(&args);
    assert_eq!(
        (output.status.code(), last_line(&output).as_str()),
        (Some(1), "verdict: false(unreach-call)")
    );
    folder.write("known.json", "{}");
    let output = folder.verify(&args);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("it is no baseline"), "{}", stderr(&output));
}

#[test]
fn a_project_may_have_a_cache() {
    let folder = Folder::new(&[("a.c", RACY), ("threadproof.toml", "files = [\"a.c\"]\ncache = \"kept\"\n")]);
    folder.verify(&[]);
    assert!(is_found(&folder.verify(&[])) && !is_found(&folder.verify(&["--no-cache"])));
    assert!(Path::new(&folder.0.path().join("kept")).is_dir());
}
