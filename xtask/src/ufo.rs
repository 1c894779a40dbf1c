//! `cargo xtask ufo`: the five configurations of the UFO engine on the sequential programs of the test set, as a table.
//!
//! One row for each program and, for each configuration, what Table 2 of the paper shows: time, iterations, time in
//! interpolation, time in post. Below it, for each configuration, how many were solved, as in Table 1. A verdict that is the opposite of what
//! the program expects makes the command fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Names, and what `--post` and `--interpolate` are.
const CONFIGURATIONS: [(&str, &str, &str); 5] = [
    ("UUFO", "none", "on"),
    ("CPUFO", "cartesian", "on"),
    ("BPUFO", "boolean", "on"),
    ("CP", "cartesian", "off"),
    ("BP", "boolean", "off"),
];

/// One answer.
struct Answer {
    verdict: String,
    seconds: f64,
    iterations: f64,
    interpolation: f64,
    post: f64,
}

/// Runs all programs below `folder`, `seconds` for each, and prints the tables.
pub fn table(binary: &Path, folder: &Path, seconds: u32) -> Result<(), String> {
    let mut files = Vec::new();
    c_files(folder, &mut files);
    if files.is_empty() {
        return Err(format!("there are no programs below {}", folder.display()));
    }
    let names = CONFIGURATIONS.map(|(name, ..)| format!("{name} s | iter | itp s | post s"));
    println!("| program | expected | {} |", names.join(" | "));
    println!("|---|---|{}", "---:|".repeat(4 * CONFIGURATIONS.len()));
    let mut totals = [(0u32, 0u32, 0u32, 0.0f64); CONFIGURATIONS.len()];
    for file in &files {
        let expected = expectation(file)?;
        let mut cells = Vec::new();
        for ((_, post, interpolate), total) in CONFIGURATIONS.iter().zip(&mut totals) {
            let answer = ask(binary, file, (post, interpolate), seconds)?;
            total.3 += answer.seconds;
            cells.push(cell(&answer, expected, total));
        }
        let name = file.strip_prefix(folder).unwrap_or(file).with_extension("");
        println!("| {} | {expected} | {} |", name.display(), cells.join(" | "));
    }
    println!(
        "\n| configuration | solved | safe | unsafe | wrong | total s |\n|---|---:|---:|---:|---:|---:|"
    );
    for ((name, ..), (safe, not_safe, wrong, time)) in CONFIGURATIONS.iter().zip(totals) {
        println!(
            "| {name} | {} of {} | {safe} | {not_safe} | {wrong} | {time:.1} |",
            safe + not_safe,
            files.len()
        );
    }
    match totals.iter().map(|t| t.2).sum() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} wrong verdicts")),
    }
}

fn cell(answer: &Answer, expected: bool, total: &mut (u32, u32, u32, f64)) -> String {
    let found = match answer.verdict.as_str() {
        "true" => true,
        "false(unreach-call)" => false,
        _ => return "– | – | – | –".to_owned(),
    };
    match (found == expected, found) {
        (false, _) => total.2 += 1,
        (true, true) => total.0 += 1,
        (true, false) => total.1 += 1,
    }
    let mark = if found == expected { "" } else { "WRONG " };
    let Answer { seconds, iterations, interpolation, post, .. } = answer;
    format!("{mark}{seconds:.2} | {iterations} | {interpolation:.2} | {post:.2}")
}

fn ask(
    binary: &Path,
    file: &Path,
    (post, interpolate): (&str, &str),
    seconds: u32,
) -> Result<Answer, String> {
    let start = Instant::now();
    let output = Command::new(binary)
        .args(["verify", "--engine", "ufo", "--stats", "--post", post, "--interpolate", interpolate])
        .args(["--timeout", &format!("{seconds}s")])
        .arg(file)
        .output()
        .map_err(|e| format!("{}: {e}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let stats = text.lines().find_map(|l| l.strip_prefix("stats: ")).unwrap_or_default();
    let verdict = text.lines().last().and_then(|l| l.strip_prefix("verdict: ")).unwrap_or_default();
    Ok(Answer {
        verdict: verdict.to_owned(),
        seconds: start.elapsed().as_secs_f64(),
        iterations: figure(stats, "iterations"),
        interpolation: figure(stats, "interpolation_s"),
        post: figure(stats, "post_s"),
    })
}

/// A number of the line of statistics.
fn figure(stats: &str, name: &str) -> f64 {
    let after = stats.split_once(&format!("\"{name}\":")).map_or("", |(_, rest)| rest);
    let digits = after.trim_start().split([',', '}']).next().unwrap_or_default();
    digits.trim().parse().unwrap_or(0.0)
}

fn expectation(file: &Path) -> Result<bool, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let answer = text.lines().find_map(|l| l.strip_prefix("// expect: unreach-call "));
    let answer = answer.and_then(|a| a.trim().parse().ok());
    answer.ok_or_else(|| format!("{} should say what it expects", file.display()))
}

fn c_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            c_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "c") {
            found.push(path);
        }
    }
}
