//! What is kept from one run to the next.

use clap::Args;
use std::path::PathBuf;

const HEADING: &str = "From one run to the next";

/// Answers and findings of earlier runs.
#[derive(Args, Debug)]
pub struct KeptArgs {
    /// Keep answers, with their evidence, in DIR, and look there before searching: an answer counts for the same text of the program, question, options and version of threadproof
    #[arg(long, value_name = "DIR", help_heading = HEADING)]
    pub cache: Option<PathBuf>,
    /// Neither keep nor look up answers, whatever threadproof.toml says
    #[arg(long, help_heading = HEADING)]
    pub no_cache: bool,
    /// Violations that FILE names are known: they are said, but do not make the exit code 1
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub baseline: Option<PathBuf>,
    /// Write all violations to FILE, for --baseline
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub write_baseline: Option<PathBuf>,
}

impl KeptArgs {
    /// Where answers are kept.
    pub fn cache(&self) -> Option<PathBuf> {
        self.cache.clone().filter(|_| !self.no_cache)
    }
}
