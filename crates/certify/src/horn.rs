//! Checks answers about Horn clauses: solutions clause by clause, derivations fact by fact.
//!
//! A solution is put into the clauses; each must be a valid implication, which a solver of our own decides. A derivation is
//! computed through with concrete values; no solver is needed.

use crate::CheckedSolver;
use base::Inconclusive;
use logic::chc::{Derivation, Solution, System};
use logic::{Limits, Model, Solver, Term, Terms, Value};

fn failed(what: String) -> Inconclusive {
    Inconclusive::CheckFailed(what)
}

/// Checks that `solution` makes every clause of `system` true.
pub fn check_solution(
    system: &System,
    terms: &mut Terms,
    solution: &Solution,
    limits: &Limits,
) -> Result<(), Inconclusive> {
    if solution.len() != system.predicates.len() {
        return Err(failed("a predicate has no meaning".to_owned()));
    }
    for (pred, meaning) in solution.iter_enumerated() {
        let params = &system.predicates[pred].params;
        if terms.free_vars(*meaning).iter().any(|x| !params.contains(x)) {
            return Err(failed(format!(
                "{} speaks of more than its parameters",
                system.predicates[pred].name
            )));
        }
    }
    let mut solver = CheckedSolver::new();
    for (n, clause) in system.clauses.iter().enumerate() {
        let mut parts = vec![clause.constraint];
        for atom in &clause.body {
            parts.push(system.meaning(terms, solution[atom.pred], atom));
        }
        if let Some(head) = &clause.head {
            let claimed = system.meaning(terms, solution[head.pred], head);
            parts.push(terms.not(claimed));
        }
        let all = terms.and(&parts);
        if !solver.check(terms, &terms.conjuncts(all), limits)?.is_unsat() {
            return Err(failed(format!("clause {n} is not true")));
        }
    }
    Ok(())
}

/// Checks that `derivation` derives a contradiction from `system`.
pub fn check_derivation(system: &System, terms: &Terms, derivation: &Derivation) -> Result<(), Inconclusive> {
    let mut facts: Vec<Option<(logic::chc::PredId, Vec<Value>)>> = Vec::new();
    for (n, step) in derivation.iter().enumerate() {
        let clause = system.clauses.get(step.clause).ok_or_else(|| failed("no such clause".to_owned()))?;
        let mut model = Model::default();
        step.values.iter().for_each(|(x, value)| model.set(*x, value.clone()));
        let values = |args: &[Term]| -> Vec<Value> { args.iter().map(|a| terms.eval(*a, &model)).collect() };
        if !terms.eval(clause.constraint, &model).truth() || clause.body.len() != step.premises.len() {
            return Err(failed(format!("fact {n} does not follow")));
        }
        for (atom, premise) in clause.body.iter().zip(&step.premises) {
            let given = facts.get(*premise).and_then(Option::as_ref);
            if given.is_none_or(|(pred, args)| *pred != atom.pred || *args != values(&atom.args)) {
                return Err(failed(format!("fact {n} does not follow from fact {premise}")));
            }
        }
        facts.push(clause.head.as_ref().map(|head| (head.pred, values(&head.args))));
    }
    match facts.last() {
        Some(None) => Ok(()),
        _ => Err(failed("the last fact is no contradiction".to_owned())),
    }
}
