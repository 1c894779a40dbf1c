//! Weakest preconditions over the slice, backwards from the postcondition.
//!
//! | command | `wp(command, φ)` |
//! |---|---|
//! | assume g | `g ==> φ` |
//! | x := t | `φ[t/x]` |
//! | havoc x | `∀x. φ`, eliminated exactly by [`super::forall`], or the strategy fails |
//! | a forgotten x := t | as a havoc if that is exact, else as the assignment it was |
//!
//! Labels are exact weakest preconditions of the slice; the slice allows more executions than the path, so they are
//! valid for the path.

use super::forall::forall;
use super::slice::{Slice, Sliced};
use crate::path::Cmd;
use crate::term::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// Labels larger than this are not useful.
const MAX_SIZE: usize = 2_000;

/// The labels, or `None` if a quantifier stays.
pub(super) fn labels(terms: &mut Terms, slice: &Slice) -> Option<Vec<Term>> {
    let tail = tail(terms, slice);
    (tail.len() == slice.blocks.len() + 1).then_some(tail)
}

/// The labels of the last cuts, as many as have no quantifier; at least the postcondition.
pub(super) fn tail(terms: &mut Terms, slice: &Slice) -> Vec<Term> {
    let mut labels = vec![slice.post];
    for block in slice.blocks.iter().rev() {
        let before = before(terms, block, labels[labels.len() - 1]);
        let Some(label) = before.filter(|&label| terms.size(label) <= MAX_SIZE) else { break };
        labels.push(label);
    }
    labels.reverse();
    labels
}

fn before(terms: &mut Terms, block: &[Sliced], after: Term) -> Option<Term> {
    block.iter().rev().try_fold(after, |label, &cmd| {
        Some(match cmd {
            Sliced::Assume(guard) => terms.implies(guard, label),
            Sliced::Assign(x, value) => assign(terms, label, x, value),
            Sliced::Havoc(x) => forall(terms, x, label)?,
            Sliced::Forget(x, value) => {
                forall(terms, x, label).unwrap_or_else(|| assign(terms, label, x, value))
            }
        })
    })
}

/// The exact weakest precondition of commands, or `None` if a quantifier stays.
pub(super) fn of_commands(terms: &mut Terms, commands: &[Cmd], post: Term) -> Option<Term> {
    let mut label = post;
    for &cmd in commands.iter().rev() {
        label = match cmd {
            Cmd::Assume(guard) => terms.implies(guard, label),
            Cmd::Assign(x, value) => assign(terms, label, x, value),
            Cmd::Havoc(x) => forall(terms, x, label)?,
        };
    }
    Some(label)
}

fn assign(terms: &mut Terms, label: Term, x: Symbol, value: Term) -> Term {
    terms.substitute(label, &FxHashMap::from_iter([(x, value)]))
}
