//! Reports in the formats that other programs read.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{stderr, stdout, threadproof};
use serde_json::Value;
use std::process::Output;

const RACE: &str = "\
#include <pthread.h>
int shared;
void *work(void *arg) { shared = 1; return 0; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  shared = 2;
  pthread_join(t, 0);
  return 0;
}
";

/// Verifies `text` in a folder of its own; the files that were written are read back.
fn verify(text: &str, args: &[&str], written: &[&str]) -> (Output, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("prog.c"), text).unwrap();
    let mut command = threadproof();
    command.args(["verify", "prog.c", "--property", "no-data-race,no-deadlock"]).args(args);
    let output = command.current_dir(folder.path()).output().unwrap();
    let read = |name: &&str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    (output, written.iter().map(read).collect())
}

#[test]
fn stdout_has_the_format_alone() {
    for (format, begin) in [
        ("json", "{\"verdict\""),
        ("sarif", "{\n  \"$schema\""),
        ("github", "::error file=prog.c,line="),
        ("junit", "<?xml"),
        ("html", "<!doctype html>"),
    ] {
        let (output, _) = verify(RACE, &["--format", format], &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(stdout(&output).starts_with(begin), "{}", stdout(&output));
        assert!(!stdout(&output).contains("\nverdict: "), "{}", stdout(&output));
        assert!(stderr(&output).ends_with("verdict: false(no-data-race)\n"), "{}", stderr(&output));
    }
}

#[test]
fn several_reports_are_written_at_once() {
    let outputs = ["sarif=a.sarif", "junit=b.xml", "html=c.html", "text=d.txt"];
    let args: Vec<&str> = outputs.iter().flat_map(|output| ["--output", output]).collect();
    let (output, files) = verify(RACE, &args, &["a.sarif", "b.xml", "c.html", "d.txt"]);
    assert!(stdout(&output).ends_with("verdict: false(no-data-race)\n"));
    let sarif: Value = serde_json::from_str(&files[0]).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "no-data-race");
    assert_eq!(result["codeFlows"][0]["threadFlows"].as_array().unwrap().len(), 2);
    let lines: Vec<u64> = result["relatedLocations"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|it| it["physicalLocation"]["region"]["startLine"].as_u64())
        .collect();
    assert!(lines.contains(&3) && lines.contains(&7), "{lines:?}");
    assert!(files[1].contains("tests=\"2\" failures=\"1\""), "{}", files[1]);
    assert!(files[3].contains("data race"), "{}", files[3]);
    let (_, rest) = files[2].split_once("id=\"report\">").unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["findings"][0]["race"]["object"], "shared");
    assert_eq!(data["checks"][1]["status"], "proved");
    assert!(data["program"]["files"][0]["text"].as_str().unwrap().contains("shared = 2;"));
    let external = ["http://", "https://", "src=", "@import", "url(//"];
    let page = files[2].replace("http://www.w3.org/", "");
    assert!(external.iter().all(|it| !page.contains(it)), "the page should need nothing else");
    let (output, _) = verify(RACE, &["--output", "html=/nonexistent/x.html"], &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write"), "{}", stderr(&output));
}

#[test]
fn a_program_that_cannot_be_read_is_reported_in_every_format() {
    for (format, expected) in [
        ("sarif", "\"executionSuccessful\": false"),
        ("github", "::error file=prog.c,line=1"),
        ("junit", "<error message="),
        ("html", "\"status\":\"open\""),
    ] {
        let (output, _) = verify("int main( {\n", &["--format", format], &[]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stdout(&output).contains(expected), "{}", stdout(&output));
    }
}
