//! Spacer as another back end: the Horn solver of Z3 (Komuravelli, Gurfinkel and Chaki, CAV 2014), where the program `z3` is installed.
//!
//! Behind the cargo feature `z3`, for second opinions in tests and for `threadproof horn --spacer`. It gets the clauses in SMT-LIB and shares
//! nothing with our solver. A solution is read back and checked like our own; that there is none comes without a derivation, and is an
//! opinion only.

use super::smtlib;
use super::{Solution, System};
use crate::Terms;
use std::io::{self, Write};
use std::process::{Command, Stdio};

/// What Spacer says of a system.
#[derive(Debug)]
pub enum Said {
    /// It has a solution: this one, if it could be read.
    Solved(Result<Solution, String>),
    /// It has none.
    Contradiction,
    /// Nothing, in the time given.
    Nothing,
}

/// Sends a system to Spacer; an error if there is no `z3`.
pub fn query(system: &System, terms: &mut Terms, seconds: u64) -> io::Result<Said> {
    let script = format!("{}(get-model)\n", smtlib::show_system(terms, system));
    let limit = format!("-T:{}", seconds.max(1));
    let mut child =
        Command::new("z3").args(["-in", &limit]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let input = child.stdin.take().ok_or_else(|| io::Error::other("a child should have a pipe"))?;
    // It may stop reading before the end, if it gives up early: then its answer says so.
    let _ = { input }.write_all(script.as_bytes());
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let (verdict, rest) = said.trim_start().split_once('\n').unwrap_or((said.trim(), ""));
    Ok(match verdict.trim() {
        "sat" => Said::Solved(smtlib::read_solution(terms, system, rest)),
        "unsat" => Said::Contradiction,
        _ => Said::Nothing,
    })
}
