//! The HTML report in a real browser: a script clicks through it.
//!
//! `THREADPROOF_BROWSER` names the browser, a Chromium; without it, `chromium` is used if it is installed, and otherwise the test says that it was passed over.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use report::lanes::{Call, Note, Race, Row};
use report::summary::{Answer, Status};
use report::{Lanes, Sources, Summary, html};
use std::path::{Path, PathBuf};
use std::process::Command;

const DRIVER: &str = include_str!("drive.js");

/// The browser; `None` if there is none and none was asked for.
fn browser() -> Option<String> {
    if let Ok(name) = std::env::var("THREADPROOF_BROWSER") {
        return Some(name);
    }
    let is_there = Command::new("chromium").arg("--version").output().is_ok();
    is_there.then(|| "chromium".to_owned())
}

/// An execution in which threads take locks and count, and which ends in a race.
fn execution(file: &Path, n_steps: usize, n_threads: usize) -> Lanes {
    let file = file.display().to_string();
    let row = |n: usize| {
        let thread = if n < n_threads - 1 { 0 } else { n / 5 % n_threads };
        let notes = match n {
            n if n < n_threads - 1 => {
                vec![Note::Start { thread: n + 1, text: format!("starts work#{}", n + 1) }]
            }
            n => vec![Note::read("x", n.to_string()), Note::write("x", (n + 1).to_string())],
        };
        let line = u32::try_from(n % 9 + 1).unwrap();
        Row {
            thread,
            file: file.clone(),
            line,
            column: 3,
            text: format!("statement {line};"),
            function: "work".into(),
            visible: n % 3 != 1,
            notes,
            held: if n % 5 > 2 { vec!["m".into()] } else { Vec::new() },
            stack: vec![Call { function: "work".into(), file: file.clone(), line }],
        }
    };
    let threads = (0..n_threads).map(|n| if n == 0 { "main".into() } else { format!("work#{n}") });
    let mut rows: Vec<Row> = (0..n_steps).map(row).collect();
    // The accesses that race are of two threads.
    rows[n_steps - 2].thread = 0;
    rows[n_steps - 1].thread = 1;
    Lanes {
        threads: threads.collect(),
        rows,
        ending: vec!["data race on x".into()],
        race: Some(Race { object: "x".into(), writes: [true, true] }),
        ..Lanes::default()
    }
}

fn page(folder: &Path, n_steps: usize, n_threads: usize) -> PathBuf {
    let source = folder.join("prog.c");
    let lines: Vec<String> = (1..=9).map(|n| format!("statement {n};")).collect();
    std::fs::write(&source, lines.join("\n")).unwrap();
    let lanes = execution(&source, n_steps, n_threads);
    let answer = Answer {
        property: "no-data-race",
        status: Status::Violated,
        violated: "no-data-race",
        verdict: "false(no-data-race)".into(),
        reason: None,
        seconds: 0.5,
        engine: "explore".into(),
        counterexample: Some(&lanes),
        explanation: None,
        known: false,
        checks: None,
        assumptions: &[],
        notes: &[],
    };
    let files = [source];
    let summary = Summary {
        verdict: "false(no-data-race)".into(),
        files: &files,
        command: "threadproof verify prog.c".into(),
        machine: "sc, LP64".into(),
        answers: vec![answer],
        diagnostics: &[],
        seconds: 0.5,
        peak_mb: 10.0,
    };
    let text = html::render(&summary, &mut Sources::new(&[]));
    let path = folder.join(format!("{n_steps}-{n_threads}.html"));
    std::fs::write(&path, text.replace("</body>", &format!("<script>{DRIVER}</script></body>"))).unwrap();
    path
}

#[test]
fn a_report_can_be_clicked_through() {
    let Some(browser) = browser() else {
        eprintln!("passed over: there is no chromium");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    for (n_steps, n_threads, width) in [(10, 2, 1400), (2_000, 12, 400)] {
        let path = page(folder.path(), n_steps, n_threads);
        let output = Command::new(&browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--virtual-time-budget=20000",
                "--dump-dom",
            ])
            .arg(format!("--window-size={width},1000"))
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(format!("file://{}", path.display()))
            .output()
            .unwrap();
        let document = String::from_utf8_lossy(&output.stdout);
        let result = document.split_once("data-result=\"").and_then(|(_, rest)| rest.split_once('"'));
        let result = result.map_or("the browser did not come to an end", |(result, _)| result);
        assert_eq!(result, "done: ", "{n_steps} steps, {n_threads} threads, {width} pixels");
    }
}
