//! What other tools need to know about threadproof: the tool-info module for BenchExec, completions and manual pages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use common::{stderr, stdout, threadproof};
use saphyr::{LoadableYamlNode, Yaml};
use std::path::Path;
use std::process::Command;

/// BenchExec finds the binary, asks for its version, makes a command line and reads answers. Without BenchExec (`pip install benchexec`) the test says so.
#[test]
fn benchexec_knows_how_to_call_it() {
    let importable = Command::new("python3").args(["-c", "import benchexec, yaml"]).output();
    if !importable.is_ok_and(|output| output.status.success()) {
        eprintln!("BenchExec is not installed: its tool-info module is not tried");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let tools = folder.path().join("tools");
    std::fs::create_dir(&tools).unwrap();
    std::fs::write(tools.join("__init__.py"), "").unwrap();
    let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/benchexec/threadproof.py");
    std::fs::copy(module, tools.join("threadproof.py")).unwrap();
    let binaries = Path::new(env!("CARGO_BIN_EXE_threadproof")).parent().unwrap();
    let mut outputs = Vec::new();
    for (n, verdict) in ["true", "false(no-data-race)", "unknown(timeout)"].iter().enumerate() {
        let path = folder.path().join(format!("output{n}.log"));
        std::fs::write(&path, format!("some text\nverdict: {verdict}\n")).unwrap();
        outputs.push(path);
    }
    let output = Command::new("python3")
        .args(["-m", "benchexec.test_tool_info", "tools.threadproof", "--no-container", "--tool-directory"])
        .arg(binaries)
        .arg("--tool-output")
        .args(&outputs)
        .env("PYTHONPATH", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.success(), "{said}");
    for expected in [env!("CARGO_PKG_VERSION"), "verify", "true", "false(no-data-race)", "TIMEOUT"] {
        assert!(said.contains(expected), "{expected} in {said}");
    }
}

/// Where people work: a GitHub Action, a hook of pre-commit, a workflow. What they call is there.
#[test]
fn what_others_call_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let help = stdout(&threadproof().args(["verify", "--help"]).output().unwrap());
    let known: Vec<&str> = help.split(|c: char| c.is_whitespace() || "=,[]<>`".contains(c)).collect();
    for name in ["action.yml", ".pre-commit-hooks.yaml", ".github/workflows/release.yml"] {
        let text = std::fs::read_to_string(root.join(name)).unwrap();
        assert_eq!(Yaml::load_from_str(&text).unwrap().len(), 1, "{name}");
        for line in text.lines().filter(|line| line.contains("threadproof verify --")) {
            let words =
                line.split(|c: char| c.is_whitespace() || c == '=').filter(|word| word.starts_with("--"));
            words.for_each(|word| assert!(known.contains(&word), "{name}: {word}"));
        }
    }
    let action = std::fs::read_to_string(root.join("action.yml")).unwrap();
    let action = &Yaml::load_from_str(&action).unwrap()[0];
    assert_eq!(
        action.as_mapping_get("runs").unwrap().as_mapping_get("using").unwrap().as_str(),
        Some("composite")
    );
}

#[test]
fn shells_and_manuals_know_all_commands() {
    let script = stdout(&threadproof().args(["completions", "bash"]).output().unwrap());
    assert!(script.contains("check-proof") && script.contains("--memory-model"), "{script}");
    let folder = tempfile::tempdir().unwrap();
    assert!(threadproof().arg("man").arg(folder.path()).status().unwrap().success());
    let page = std::fs::read_to_string(folder.path().join("threadproof-verify.1")).unwrap();
    assert!(page.contains("valid\\-memsafety") || page.contains("valid-memsafety"), "{page}");
}
