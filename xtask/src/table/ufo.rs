//! `cargo xtask table ufo`: the five configurations of the UFO engine on the sequential programs of the test set, as a table.
//!
//! One row for each program and, for each configuration, what Table 2 of the paper shows: time, iterations, time in
//! interpolation, time in post. Below it, for each configuration, how many were solved, as in Table 1. A verdict that is the opposite of what
//! the program expects makes the command fail.

use super::{Answer, programs_below, verify};
use std::path::Path;
use testkit::corpus::Annotated;

/// Names, and what `--post` and `--interpolate` are.
const CONFIGURATIONS: [(&str, &str, &str); 5] = [
    ("UUFO", "none", "on"),
    ("CPUFO", "cartesian", "on"),
    ("BPUFO", "boolean", "on"),
    ("CP", "cartesian", "off"),
    ("BP", "boolean", "off"),
];

/// Runs all programs below `folder`, `seconds` for each, and prints the tables.
pub fn table(folder: &Path, seconds: u32) -> Result<(), String> {
    let files = programs_below(folder)?;
    let names = CONFIGURATIONS.map(|(name, ..)| format!("{name} s | iter | itp s | post s"));
    println!("| program | expected | {} |", names.join(" | "));
    println!("|---|---|{}", "---:|".repeat(4 * CONFIGURATIONS.len()));
    let mut totals = [(0u32, 0u32, 0u32, 0.0f64); CONFIGURATIONS.len()];
    for file in &files {
        let expected = Annotated::read(file)?.expects("unreach-call");
        let expected = expected.ok_or_else(|| format!("{} should expect something", file.display()))?;
        let mut cells = Vec::new();
        for ((_, post, interpolate), total) in CONFIGURATIONS.iter().zip(&mut totals) {
            let answer =
                verify(file, &["--engine", "ufo", "--post", post, "--interpolate", interpolate], seconds)?;
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
    let [iterations, interpolation, post] =
        ["iterations", "interpolation_s", "post_s"].map(|name| answer.metric(name));
    let seconds = answer.seconds;
    format!("{mark}{seconds:.2} | {iterations} | {interpolation:.2} | {post:.2}")
}
