//! What is kept from one run to the next.

use clap::Args;
use std::path::PathBuf;

/// Answers and findings of earlier runs.
#[derive(Args, Debug)]
#[command(next_help_heading = "From one run to the next")]
pub struct KeptArgs {
    /// Keep answers, with their evidence, in DIR, and look there before searching: an answer counts for the same text of the program, question, options and version of threadproof
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Neither keep nor look up answers, whatever threadproof.toml says
    #[arg(long)]
    pub no_cache: bool,
    /// Violations that FILE names are known: they are said, but do not make the exit code 1
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write all violations to FILE, for --baseline
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
}

impl KeptArgs {
    /// Where answers are kept.
    pub fn cache(&self) -> Option<PathBuf> {
        self.cache.clone().filter(|_| !self.no_cache)
    }
}
