//! Reading solutions: definitions of the predicates, as solvers print models.

use super::Sexp;
use super::expr::{Scope, term};
use super::read::bindings;
use crate::Terms;
use crate::chc::{Solution, System};

/// The meanings that a list of `define-fun` gives to the predicates of a system; one that is not defined is false.
pub fn read_solution(terms: &mut Terms, system: &System, text: &str) -> Result<Solution, String> {
    let mut scope = Scope::default();
    for item in super::parse(text)? {
        define(&mut scope, &item)?;
    }
    let mut solution = Solution::default();
    for predicate in system.predicates.iter() {
        let Some((params, body)) = scope.defined.get(&predicate.name).cloned() else {
            solution.push(terms.ff());
            continue;
        };
        let ours: Vec<_> = predicate.params.iter().map(|p| terms.var_of(*p)).collect();
        let fits =
            params.len() == ours.len() && params.iter().zip(&ours).all(|((_, s), t)| terms.sort(*t) == *s);
        if !fits {
            return Err(format!("{} is defined with other parameters", predicate.name));
        }
        let names = params.into_iter().map(|(name, _)| name).zip(ours).collect();
        let inner = Scope { names, defined: scope.defined.clone() };
        solution.push(term(terms, &inner, &body)?);
    }
    Ok(solution)
}

/// Definitions, one by one or in a list.
fn define(scope: &mut Scope, item: &Sexp) -> Result<(), String> {
    let list = item.list().unwrap_or_default();
    match list {
        [Sexp::Word(head), Sexp::Word(name), params, _, body] if head == "define-fun" => {
            scope.defined.insert(name.clone(), (bindings(params)?, body.clone()));
            Ok(())
        }
        _ => list.iter().try_for_each(|inner| define(scope, inner)),
    }
}
