//! `threadproof horn`: solves a system of constrained Horn clauses.
//!
//! The answer is checked before it is printed: a solution clause by clause, a derivation fact by fact.

use crate::args::HornArgs;
use crate::output::{self, Exit};
use base::{Budget, Stats};
use engines::redcomp::horn::{Answer, smtlib, solve};
use logic::{Limits, Terms};

/// Solves and prints.
pub fn horn(args: &HornArgs) -> Exit {
    let text = match std::fs::read_to_string(&args.file) {
        Ok(text) => text,
        Err(error) => return refused(args, &error.to_string()),
    };
    let mut terms = Terms::new();
    let system = match smtlib::read(&mut terms, &text) {
        Ok(system) => system,
        Err(message) => return refused(args, &message),
    };
    if args.print {
        output::out(&smtlib::show_system(&terms, &system));
    }
    let limits = Limits::of(&Budget::new(Some(args.timeout), None));
    let answer = solve(&system, &mut terms, &[], &limits, &mut Stats::default());
    let checked = answer.and_then(|answer| match answer {
        Answer::Solved(solution) => {
            certify::horn::check_solution(&system, &mut terms, &solution, &limits)?;
            Ok((format!("sat\n{}", smtlib::show_solution(&terms, &system, &solution)), Exit::Fine))
        }
        Answer::Derived(derivation) => {
            certify::horn::check_derivation(&system, &terms, &derivation)?;
            Ok((format!("unsat\n{}", smtlib::show_derivation(&terms, &system, &derivation)), Exit::Violated))
        }
    });
    let (text, exit) = checked.unwrap_or_else(|stop| (format!("unknown\n; {stop}\n"), Exit::Unknown));
    output::out(&text);
    exit
}

fn refused(args: &HornArgs, message: &str) -> Exit {
    output::err(&format!("{}: {message}\n", args.file.display()));
    Exit::BadInput
}
