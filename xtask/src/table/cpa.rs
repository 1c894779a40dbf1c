//! `cargo xtask table cpa`: what the options of the configurable program analysis change, as a table.
//!
//! Every program below a folder is verified with all optimisations of the paper and with one of them changed. Only programs that both
//! answer alike are compared: comparisons for the partition; states, separately for bugs and proofs, for the
//! order of the waitlist and for large-step edges.

use super::{Answer, programs_below, verify};
use std::path::Path;

/// What is changed, and what is counted.
const VARIANTS: [(&str, [&str; 2], &str); 4] = [
    ("partition off", ["--partition", "off"], "comparisons"),
    ("waitlist dfs", ["--waitlist", "dfs"], "nodes"),
    ("waitlist bfs", ["--waitlist", "bfs"], "nodes"),
    ("por none", ["--por", "none"], "nodes"),
];

/// Runs all programs below `folder` in a domain, `seconds` for each, and prints the table.
pub fn table(folder: &Path, domain: &str, seconds: u32) -> Result<(), String> {
    let files = programs_below(folder)?;
    let verify_all = |options: &[&str]| -> Result<Vec<Answer>, String> {
        let options = [&["--engine", "cpa", "--domain", domain], options].concat();
        files.iter().map(|file| verify(file, &options, seconds)).collect()
    };
    let plain = verify_all(&[])?;
    println!("| {domain} | counted | answers | programs | all on | changed | factor |");
    println!("|---|---|---|---:|---:|---:|---:|");
    for (name, options, counted) in VARIANTS {
        let changed = verify_all(&options)?;
        for (answers, is_one) in [("proofs", "true"), ("bugs", "false")] {
            let pairs = plain.iter().zip(&changed);
            let both = pairs.filter(|(p, c)| p.verdict.starts_with(is_one) && p.verdict == c.verdict);
            let metrics: Vec<(f64, f64)> =
                both.map(|(p, c)| (p.metric(counted), c.metric(counted))).collect();
            let (on, off) = metrics.iter().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
            let factor = if on > 0.0 { off / on } else { 1.0 };
            println!("| {name} | {counted} | {answers} | {} | {on} | {off} | {factor:.2} |", metrics.len());
        }
    }
    Ok(())
}
