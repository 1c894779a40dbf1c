//! `bench --resume` and `bench --compare`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{stderr, stdout, threadproof};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

const SAFE: &str = "extern void reach_error(void); int main(void) { return 0; }\n";

fn task(folder: &Path, name: &str) {
    std::fs::write(folder.join(format!("{name}.c")), SAFE).unwrap();
    let text = format!(
        "format_version: '2.0'\ninput_files: '{name}.c'\nproperties:\n  - property_file: unreach-call.prp\n    expected_verdict: true\n"
    );
    std::fs::write(folder.join(format!("{name}.yml")), text).unwrap();
    std::fs::write(folder.join("unreach-call.prp"), "CHECK( init(main()), LTL(G ! call(reach_error())) )\n")
        .unwrap();
}

fn bench(folder: &Path, args: &[&str]) -> Output {
    threadproof().arg("bench").args(args).current_dir(folder).output().unwrap()
}

fn rows(path: &Path) -> Vec<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_run_is_resumed_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ["a", "b", "c"].iter().for_each(|name| task(folder, name));
    let run = ["--in-process", "--json", "rows.json"];
    let output = bench(folder, &[&["a.yml", "b.yml"], &run[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // A row that is kept is not made again.
    let text = std::fs::read_to_string(folder.join("rows.json")).unwrap();
    let mut before: Vec<Value> = serde_json::from_str(&text).unwrap();
    before[0]["seconds"] = 1234.5.into();
    before[1]["status"] = "error".into();
    before[1]["verdict"] = "signal 9".into();
    std::fs::write(folder.join("rows.json"), serde_json::to_string(&before).unwrap()).unwrap();
    std::fs::copy(folder.join("rows.json"), folder.join("before.json")).unwrap();
    let output =
        bench(folder, &[&["--resume", "--quantile", "q.svg", "a.yml", "b.yml", "c.yml"], &run[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 of 3 tasks are done already"), "{}", stderr(&output));
    let after = rows(&folder.join("rows.json"));
    assert_eq!((after.len(), &after[0]["seconds"]), (3, &Value::from(1234.5)));
    assert!(after.iter().all(|row| row["status"] == "right"), "{after:?}");
    assert!(std::fs::read_to_string(folder.join("q.svg")).unwrap().contains("<polyline"));

    let compare = ["--compare", "before.json", "rows.json", "--scatter", "s.svg"];
    let output = bench(folder, &compare);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("newly right: 1\n  signal 9 → true  unreach-call  b.yml"), "{text}");
    assert!(text.contains("only in rows.json: 1 tasks"), "{text}");
    assert_eq!(std::fs::read_to_string(folder.join("s.svg")).unwrap().matches("<circle").count(), 2);

    // Two answers that contradict each other.
    before[0]["verdict"] = "false(unreach-call)".into();
    std::fs::write(folder.join("before.json"), serde_json::to_string(&before).unwrap()).unwrap();
    let output = bench(folder, &compare);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("contradictions: 1"), "{}", stdout(&output));
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    task(folder, "a");
    std::fs::write(folder.join("x.json"), "[{}]").unwrap();
    for args in [
        &["--compare", "x.json", "x.json"][..],
        &["--compare", "x.json"],
        &["--compare", "none.json", "none.json"],
        &["--resume", "a.yml"],
        &["--resume", "--json", "x.json", "a.yml"],
        &["--scatter", "s.svg", "a.yml"],
    ] {
        let output = bench(folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?} {}", stderr(&output));
    }
}
