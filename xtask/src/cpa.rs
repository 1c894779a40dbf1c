//! `cargo xtask cpa`: what the options of the configurable program analysis change, as a table.
//!
//! Every program below a folder is verified with all optimisations of the paper and with one of them changed. Only programs that both
//! answer alike are compared: comparisons for the partition; states, separately for bugs and proofs, for the
//! order of the waitlist and for runs of local steps.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What is changed, and what is counted.
const VARIANTS: [(&str, [&str; 2], &str); 4] = [
    ("partition off", ["--partition", "off"], "comparisons"),
    ("waitlist dfs", ["--waitlist", "dfs"], "nodes"),
    ("waitlist bfs", ["--waitlist", "bfs"], "nodes"),
    ("por none", ["--por", "none"], "nodes"),
];

/// One answer.
struct Answer {
    verdict: String,
    stats: String,
}

impl Answer {
    /// A number of the line of statistics.
    fn figure(&self, name: &str) -> f64 {
        let after = self.stats.split_once(&format!("\"{name}\":")).map_or("", |(_, rest)| rest);
        let digits = after.trim_start().split([',', '}']).next().unwrap_or_default();
        digits.trim().parse().unwrap_or(0.0)
    }
}

/// Runs all programs below `folder` in a domain, `seconds` for each, and prints the table.
pub fn table(binary: &Path, folder: &Path, domain: &str, seconds: u32) -> Result<(), String> {
    let mut files = Vec::new();
    programs(folder, &mut files);
    if files.is_empty() {
        return Err(format!("there are no programs below {}", folder.display()));
    }
    let ask_all = |options: &[&str]| -> Result<Vec<Answer>, String> {
        files.iter().map(|file| ask(binary, file, domain, options, seconds)).collect()
    };
    let plain = ask_all(&[])?;
    println!("| {domain} | counted | answers | programs | all on | changed | factor |");
    println!("|---|---|---|---:|---:|---:|---:|");
    for (name, options, counted) in VARIANTS {
        let changed = ask_all(&options)?;
        for (answers, is_one) in [("proofs", "true"), ("bugs", "false")] {
            let pairs = plain.iter().zip(&changed);
            let both = pairs.filter(|(p, c)| p.verdict.starts_with(is_one) && p.verdict == c.verdict);
            let figures: Vec<(f64, f64)> =
                both.map(|(p, c)| (p.figure(counted), c.figure(counted))).collect();
            let (on, off) = figures.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
            let factor = if on > 0.0 { off / on } else { 1.0 };
            println!("| {name} | {counted} | {answers} | {} | {on} | {off} | {factor:.2} |", figures.len());
        }
    }
    Ok(())
}

fn ask(binary: &Path, file: &Path, domain: &str, options: &[&str], seconds: u32) -> Result<Answer, String> {
    let output = Command::new(binary)
        .args(["verify", "--engine", "cpa", "--stats", "--domain", domain])
        .args(["--timeout", &format!("{seconds}s")])
        .args(options)
        .arg(file)
        .output()
        .map_err(|e| format!("{}: {e}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line =
        |start: &str| text.lines().rev().find_map(|l| l.strip_prefix(start)).unwrap_or_default().to_owned();
    Ok(Answer { verdict: line("verdict: "), stats: line("stats: ") })
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
            found.push(path);
        }
    }
}
