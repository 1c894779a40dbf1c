//! Paths of guarded commands: symbolic execution, feasibility, Hoare triples.
//!
//! A [`Block`] is one edge of a search tree: a sequence of assumptions, assignments and havocs over *state
//! variables*. A path is a slice of blocks.
//!
//! # Symbolic execution with inlined definitions
//! [`SymbolicStore`] maps each state variable to a term over the values at the start (the state variables
//! themselves) and the havocked values (`x#1`, `x#2`, …, counted per variable). An assignment only updates the map; so a
//! path's formula has no definitions, just its guards. Two paths with a common prefix give *identical* terms for it:
//! the solver translates them once.
//!
//! # Requires and ensures
//! | function | answers | exactly when |
//! |---|---|---|
//! | [`check_path`] | [`PathAnswer::Feasible`] | some execution starts in `pre`, follows the path and ends outside `post` |
//! | [`valid`] | `true` | `{pre} block {post}`: every execution from `pre` ends in `post` |
//!
//! Direction of error: [`valid`] answers `false` when the solver gives up, never `true`.

mod check;
mod connected;
mod equal;
mod store;

pub use check::{PathAnswer, PathCore, PathModel, check_path, valid};
pub use connected::{connected, connected_among};
pub use equal::with_equals;
pub use store::SymbolicStore;

use crate::term::{Symbol, Term, Terms};

/// A guarded command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cmd {
    /// Goes on only where the condition holds.
    Assume(Term),
    /// Sets a state variable.
    Assign(Symbol, Term),
    /// Sets a state variable to any value.
    Havoc(Symbol),
}

/// One edge.
pub type Block = Vec<Cmd>;

/// The path's conditions, block by block, over start values and havocked values.
pub fn ssa(terms: &mut Terms, path: &[Block]) -> Vec<Vec<Term>> {
    let mut store = SymbolicStore::default();
    path.iter().map(|block| store.run(terms, block)).collect()
}

/// The text of a block, for people.
pub fn show_block(terms: &Terms, block: &[Cmd]) -> String {
    let texts: Vec<String> = block
        .iter()
        .map(|cmd| match *cmd {
            Cmd::Assume(g) => format!("[{}]", terms.show(g)),
            Cmd::Assign(x, t) => format!("{} := {}", terms.name(x), terms.show(t)),
            Cmd::Havoc(x) => format!("havoc {}", terms.name(x)),
        })
        .collect();
    texts.join("; ")
}
