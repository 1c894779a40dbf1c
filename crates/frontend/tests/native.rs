//! Annotated programs against the system compiler: what they claim is true of the compiled program.
//!
//! A program with a line `// native: yes` is deterministic: compiled and run, it ends well if and only if its `unreach-call` holds.
//! So the expectations about attributes, linkage and assembly are not only ours. Without a C compiler the test says so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;

fn c_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the programs should be there");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("a folder should be readable").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            c_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

/// What the program claims, if it is to be run.
fn claim(text: &str) -> Option<bool> {
    let mut lines = text.lines();
    lines.any(|line| line == "// native: yes").then_some(())?;
    let claim = text.lines().find_map(|line| line.strip_prefix("// expect: unreach-call "))?;
    claim.trim().parse().ok()
}

#[test]
fn compiled_programs_keep_their_claims() {
    if !Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("there is no cc: nothing is compared");
        return;
    }
    let mut files = Vec::new();
    c_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs"), &mut files);
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("native_program");
    let mut n_run = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program should be readable");
        let Some(holds) = claim(&text) else { continue };
        let compiled =
            Command::new("cc").args(["-std=gnu11", "-w", "-pthread", "-o"]).arg(&program).arg(&file).output();
        let compiled = compiled.expect("cc should start");
        let complaints = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{}: {complaints}", file.display());
        let run = Command::new(&program).output().expect("a compiled program should start");
        assert_eq!(run.status.success(), holds, "{}: {:?}", file.display(), run.status);
        n_run += 1;
    }
    assert!(n_run >= 10, "only {n_run} programs were run");
}
