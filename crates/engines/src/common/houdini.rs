//! Houdini's algorithm, forwards: of a finite set of candidates for each location (or predicate), the largest subsets that are inductive together.
//!
//! After Flanagan and Leino (*Houdini, an annotation assistant for ESC/Java*, FME 2001). A location that was never reached satisfies all candidates;
//! the first execution that reaches it leaves those that are true of it; every further one removes some, until no transition violates
//! a remaining fact. The caller keeps the worklist of transitions; [`eliminate`] treats one of them.
//!
//! # Direction of error
//! If the solver has no answer, the target keeps no fact: invariants may become too weak, never too strong.

use super::strongest::strongest;
use base::Inconclusive;
use logic::{Answer, Embedded, Limits, Model, Solver, Term, Terms};
use rustc_hash::FxHashMap;

/// Removes from the facts of a transition's target those that need not hold after it. Returns true if there were any.
///
/// `given` is what holds before the transition, and its condition; `known` are the target's facts, `None` if it was never reached; `candidates` are all
/// facts to begin with, some of which may be read off the first state that reaches it; `after` is what a fact of the target means in terms of the state before the transition.
pub(crate) fn eliminate(
    solver: &mut Embedded,
    terms: &mut Terms,
    limits: &Limits,
    given: &[Term],
    known: &mut Option<Vec<Term>>,
    candidates: impl Fn(&mut Terms, &Model) -> Vec<Term>,
    after: impl Fn(&mut Terms, Term) -> Term,
) -> Result<bool, Inconclusive> {
    let mut changed = false;
    loop {
        limits.budget.check()?;
        let mut query = given.to_vec();
        if let Some(facts) = known {
            let few: Vec<Term> = strongest(terms, facts).into_iter().map(|fact| after(terms, fact)).collect();
            let all = terms.and(&few);
            if terms.as_bool(all) == Some(true) {
                return Ok(changed);
            }
            query.push(terms.not(all));
        }
        match solver.check(terms, &query, limits)? {
            Answer::Unsat(_) => return Ok(changed),
            Answer::Unknown => *known = Some(Vec::new()),
            Answer::Sat(model) => {
                let facts = known.take().unwrap_or_else(|| candidates(terms, &model));
                let then: Vec<Term> = facts.iter().map(|fact| after(terms, *fact)).collect();
                *known = Some(true_in(terms, &facts, &then, &model));
            }
        }
        changed = true;
    }
}

/// The facts whose meaning, `then`, a model satisfies.
fn true_in(terms: &Terms, facts: &[Term], then: &[Term], model: &Model) -> Vec<Term> {
    let mut evaluated = FxHashMap::default();
    let mut holds = |meaning: Term| terms.eval_with(meaning, model, &mut evaluated).truth();
    facts.iter().zip(then).filter(|(_, meaning)| holds(**meaning)).map(|(fact, _)| *fact).collect()
}
