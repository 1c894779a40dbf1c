//! `threadproof horn`: solves a system of constrained Horn clauses.
//!
//! The answer is checked before it is printed: a solution clause by clause, a derivation fact by fact.

use crate::args::HornArgs;
use crate::output::{self, Exit};
use base::{Budget, Inconclusive, Stats};
use logic::chc::System;
use logic::chc::{Answer, smtlib, solve};
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
    let answer = solved(args, &system, &mut terms, &limits);
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

/// By our solver, or by Spacer if asked for.
fn solved(
    args: &HornArgs,
    system: &System,
    terms: &mut Terms,
    limits: &Limits,
) -> Result<Answer, Inconclusive> {
    #[cfg(feature = "z3")]
    if args.spacer {
        use logic::chc::spacer::{self, Said};
        let nothing = |why: &str| Err(Inconclusive::Unsupported(format!("{why} (Spacer)")));
        return match spacer::query(system, terms, args.timeout.as_secs()) {
            Ok(Said::Solved(Ok(solution))) => Ok(Answer::Solved(solution)),
            Ok(Said::Solved(Err(why))) => nothing(&format!("a solution that cannot be read: {why}")),
            Ok(Said::Contradiction) => nothing("no solution, but no derivation that could be checked"),
            Ok(Said::Nothing) => Err(Inconclusive::OutOfTime),
            Err(error) => nothing(&format!("z3 cannot be run: {error}")),
        };
    }
    let _ = args; // only features have options
    solve(system, terms, &[], limits, &mut Stats::default())
}

fn refused(args: &HornArgs, message: &str) -> Exit {
    output::err(&format!("{}: {message}\n", args.file.display()));
    Exit::BadInput
}
