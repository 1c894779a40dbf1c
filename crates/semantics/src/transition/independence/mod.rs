//! Independence: which steps of different threads commute. The one relation that all engines use.
//!
//! Two steps of different threads are *independent* in a state if, from there, neither enables nor disables the other and both orders lead to
//! the same states. A step reads and writes state variables (data) and moves in the global location (control), so there are two questions.
//!
//! | question | answered | by |
//! |---|---|---|
//! | do they touch the same data? | on the variables that the commands mention | [`Footprint::conflicts_with`] |
//! | | where that is not enough: in which states | [`alias`]: a formula over the state before both steps |
//! | | or: do both orders lead to the same data, given some facts? | [`Exchange`]: a query for the solver |
//! | do they change each other's control? | exactly: the edges of both orders are compared | [`Edges::dependence`] |
//! | | for many paths at once: by a summary of what they do | [`ControlEffect`] |
//!
//! # What control operations depend on
//!
//! | operation | data | control |
//! |---|---|---|
//! | load, store, copy, fill, guard, assume, branch, locks | the cells and elements that the terms mention | nothing |
//! | create | writes the first frame of the new thread | depends on what concerns threads, and on the ends of threads |
//! | join, detach | reads the result of the thread | the same |
//! | end of a thread | writes its result | depends on what concerns threads |
//! | wait, signal (where waits are followed) | `Waiting` of the waiting threads | nothing |
//! | allocation, and the end of `alloca`ted objects | writes the object's initial bytes and size | depends on everything: the terms of other threads enumerate objects |
//! | a step that begins or ends inside an atomic section | | depends on everything: other threads are blocked there |
//! | end of the program, violation | | nothing, for the summary: no step comes after it, and all states before it are reached all the same |
//! | `free` | nothing | nothing: an access to a dead object is undefined, and such executions are not followed (SOUNDNESS: A20) |
//!
//! The exact comparison needs none of the rules about control: the edges of a thread before and after the step of another thread have to be the same
//! commands, and both orders have to meet in the same global location. Two steps that both start, end or join threads count as dependent there, too, although some of
//! them commute: to follow both orders of these few steps gives earlier covers (without that rule `impact` has 152 nodes for Peterson's algorithm rather than 142).
//!
//! # Who uses what
//! `impact` skips a thread if its edges are independent of the last one ([`Edges::dependence`]; conditions are excluded by labels); `ufo` keeps a thread in the sleep
//! set ([`Footprint::is_independent_of`]); `redcomp` finds movers (footprints, then [`Exchange`]). `cpa` and `ranking` rely on transactions only, that is, on what is visible
//! ([`crate::analysis::access`]). `certify` shares none of this: it has a relation of its own.
//!
//! # Direction of error
//! Dependent in doubt. The tests execute both orders in the interpreter, from reachable states of random programs.

pub mod alias;
mod exchange;
mod footprint;
#[cfg(test)]
mod tests;

pub use exchange::Exchange;
pub use footprint::{ControlEffect, Footprint};

use super::edges::{Edge, Edges, GlobalLocationId};
use crate::encoding::{Encoder, SuccessorKind};
use logic::{Term, Terms};
use program::interp::ThreadId;
use std::rc::Rc;

/// Whether two steps of different threads may be dependent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// They commute in every state.
    Independent,
    /// They may not.
    Dependent,
    /// They commute in every state, before both, in which none of these formulas holds.
    OnlyIf(Rc<[Term]>),
}

impl<'p> Edges<'p> {
    /// Dependence of `last`, an edge that leaves `from`, and the edges of `thread`, another one.
    pub fn dependence(
        &mut self,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        from: GlobalLocationId,
        last: &Edge,
        thread: ThreadId,
    ) -> Dependence {
        if let Some(known) = self.dependences.get(&(last.id, thread)) {
            return known.clone();
        }
        let found = match self.commutes_on_control(encoder, terms, from, last, thread) {
            true => self.data_dependence(encoder, terms, from, last, thread),
            false => Dependence::Dependent,
        };
        self.dependences.insert((last.id, thread), found.clone());
        found
    }

    /// Returns true if the edges of `thread` are the same before and after `last`, and both orders lead to the same global location.
    fn commutes_on_control(
        &mut self,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        from: GlobalLocationId,
        last: &Edge,
        thread: ThreadId,
    ) -> bool {
        let (before, after) = (self.control(from), self.control(last.control));
        let in_section = before.atomic.is_some() || after.atomic.is_some();
        let can_move = before.movable().any(|t| t == thread) && after.movable().any(|t| t == thread);
        if in_section || !can_move || last.kind != SuccessorKind::Continue {
            return false;
        }
        let then = self.of(encoder, terms, from, thread);
        let now = self.of(encoder, terms, last.control, thread);
        now.len() == then.len()
            && now.iter().zip(then.iter()).all(|(next, first)| {
                next.block == first.block
                    && !(last.footprint.control.changes_threads && next.footprint.control.changes_threads)
                    && next.kind == SuccessorKind::Continue
                    && first.kind == SuccessorKind::Continue
                    && self.closes(encoder, terms, first.control, last, next.control)
            })
    }

    /// Returns true if the thread of `last` has the same edge between two other global locations. An edge that ends inside an atomic section, at
    /// a loop head say, blocks all other threads.
    fn closes(
        &mut self,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        from: GlobalLocationId,
        last: &Edge,
        to: GlobalLocationId,
    ) -> bool {
        if self.control(from).movable().all(|thread| thread != last.thread) {
            return false;
        }
        let edges = self.of(encoder, terms, from, last.thread);
        edges.iter().any(|edge| edge.block == last.block && edge.kind == last.kind && edge.control == to)
    }

    /// Dependence of the data of `last` and of the edges of `thread`.
    fn data_dependence(
        &mut self,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        from: GlobalLocationId,
        last: &Edge,
        thread: ThreadId,
    ) -> Dependence {
        let mut conditions = Vec::new();
        for next in self.of(encoder, terms, from, thread).iter() {
            if !last.footprint.conflicts_with(&next.footprint) {
                continue;
            }
            let Some(condition) = alias::condition(terms, last, next) else { return Dependence::Dependent };
            match terms.as_bool(condition) {
                Some(true) => return Dependence::Dependent,
                Some(false) => {}
                None => conditions.push(condition),
            }
        }
        if conditions.is_empty() { Dependence::Independent } else { Dependence::OnlyIf(conditions.into()) }
    }
}
