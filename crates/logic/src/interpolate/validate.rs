//! Whether labels hold along a path, without a solver where that can be seen.

use crate::path::{Block, Cmd, valid};
use crate::solver::{Limits, Solver};
use crate::term::{Symbol, Term, Terms};
use base::Inconclusive;

/// Returns true if every triple `{labels[n]} path[n] {labels[n + 1]}` holds.
pub(super) fn all_hold<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    labels: &[Term],
    path: &[Block],
    limits: &Limits,
) -> Result<bool, Inconclusive> {
    let mut passing: Option<(Term, Vec<Symbol>)> = None;
    for (n, block) in path.iter().enumerate() {
        let (before, after) = (labels[n], labels[n + 1]);
        if before == after {
            if passing.as_ref().is_none_or(|(label, _)| *label != before) {
                passing = Some((before, terms.free_vars(before)));
            }
            if passing.as_ref().is_some_and(|(_, variables)| passes(block, variables)) {
                continue;
            }
        }
        if !valid(solver, terms, before, block, after, limits)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if a block sets none of the variables: what is said about them stays true.
fn passes(block: &[Cmd], variables: &[Symbol]) -> bool {
    block.iter().all(|cmd| match cmd {
        Cmd::Assume(_) => true,
        Cmd::Assign(x, _) | Cmd::Havoc(x) => variables.binary_search(x).is_err(),
    })
}
