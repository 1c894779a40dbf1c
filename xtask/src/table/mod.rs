//! `cargo xtask table …`: the tables of the papers that the engines follow, measured with the release build.
//!
//! | module | paper | table |
//! |---|---|---|
//! | [`impara`] | Wachter, Kroening, Ouaknine, FMCAD 2013 | Table II: nodes and implications of four configurations |
//! | [`weak`] | the same | Table III: weak memory |
//! | [`redcomp`] | Popeea, Rybalchenko, Wilhelm, FMCAD 2014 | the families P1-n and P2-n |
//! | [`cpa`] | Beyer, Friedberger, MEMICS 2016 | what partitioning, order and reduction save |
//! | [`ufo`] | Albarghouthi, Gurfinkel, Chechik, TACAS 2012 | Tables 1 and 2: five configurations |

mod cpa;
mod impara;
pub mod redcomp;
mod ufo;
mod weak;

use crate::workspace::{binary, build_release, root};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Builds threadproof and prints a table; `arguments` are those after its name.
pub fn print(name: &str, arguments: &[&str]) -> Result<(), String> {
    let seconds = |at: usize, default: u32| {
        arguments.get(at).map_or(Ok(default), |s| s.parse().map_err(|_| format!("{s} should be a number")))
    };
    let folder = |at: usize, default: &str| {
        arguments.get(at).map_or_else(|| root().join(default), |folder| PathBuf::from(*folder))
    };
    build_release()?;
    match name {
        "impara" => {
            let tasks = arguments.first().ok_or("which folder has SV-COMP's tasks?")?;
            impara::table(Path::new(tasks), seconds(1, 30)?)
        }
        "weak" => weak::table(seconds(0, 60)?),
        "redcomp" => redcomp::table(seconds(0, 60)?),
        "cpa" => {
            let domain = arguments.first().unwrap_or(&"value");
            cpa::table(&folder(2, "tests/programs"), domain, seconds(1, 5)?)
        }
        "ufo" => ufo::table(&folder(1, "tests/programs/sequential"), seconds(0, 10)?),
        _ => Err(format!("there is no table {name}: impara, weak, redcomp, cpa, ufo")),
    }
}

/// What `verify` says about a program.
struct Answer {
    /// The last line, without `verdict: `.
    verdict: String,
    stats: serde_json::Value,
    /// Wall time.
    seconds: f64,
}

impl Answer {
    /// A number of the statistics; 0 if there is none of that name.
    fn metric(&self, name: &str) -> f64 {
        self.stats[name].as_f64().unwrap_or(0.0)
    }
}

/// Runs `verify` on a file with these options. The papers' tables are about assertions, and take for granted that nothing is undefined.
fn verify(file: &Path, options: &[&str], seconds: u32) -> Result<Answer, String> {
    let start = Instant::now();
    let output = Command::new(binary())
        .args(["verify", "--stats", "--timeout", &format!("{seconds}s")])
        .args(["--property", "unreach-call", "--assume", "no-undefined-behaviour"])
        .args(options)
        .arg(file)
        .output()
        .map_err(|e| format!("{}: {e}", binary().display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |start: &str| text.lines().rev().find_map(|l| l.strip_prefix(start)).unwrap_or_default();
    Ok(Answer {
        verdict: line("verdict: ").to_owned(),
        stats: serde_json::from_str(line("stats: ")).unwrap_or_default(),
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// The C files below a folder; that there are none is an error.
fn programs_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let files = testkit::corpus::files_below(folder, &["c", "i"]);
    if files.is_empty() {
        Err(format!("there are no programs below {}", folder.display()))
    } else {
        Ok(files)
    }
}
