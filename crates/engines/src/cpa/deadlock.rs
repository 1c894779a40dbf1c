//! Deadlocks, as one more edge that violates the property.
//!
//! A state in which threads are left and the next actions of all of them block is a deadlock. At each control it is the virtual edge
//! `assume(nobody moves)`, where [`symbolic::Encoder::moves`] says when a thread does. A thread whose next action cannot block makes
//! the edge impossible, so that most controls have none.
//!
//! - Runs end before every action that can block: whoever is blocked stands at the end of a run, and the reduced search passes
//!   through every deadlock.
//! - Who waits on a condition variable is followed, because only a signal counts as a way out of a wait; spurious
//!   wake-ups lead to more states, but do not save from a deadlock (SOUNDNESS: A9).
//! - A thread that blocks inside an atomic section blocks all others: such executions do not count.
//!
//! A trace is handed over only if the interpreter, too, finds the deadlock at its end.

use crate::edges::{ControlId, Edge, Edges};
use base::Stop;
use certify::Trace;
use logic::Terms;
use logic::path::Cmd;
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use symbolic::{Encoder, Kind};

/// Finds deadlocks, if that is the question.
pub(super) struct Deadlocks {
    property: Property,
    known: FxHashMap<ControlId, Option<Rc<Edge>>>,
}

impl Deadlocks {
    pub(super) fn new(property: Property) -> Self {
        Self { property, known: FxHashMap::default() }
    }

    fn are_asked_for(&self) -> bool {
        self.property == Property::NoDeadlock
    }

    /// An encoder that knows what is needed.
    pub(super) fn encoder<'p>(&self, program: &'p Program) -> Result<Encoder<'p>, Stop> {
        let encoder = Encoder::new(program)?;
        Ok(if self.are_asked_for() { encoder.following_waits() } else { encoder })
    }

    /// Edges that end where they have to.
    pub(super) fn edges<'p>(&self, edges: Edges<'p>) -> Edges<'p> {
        if self.are_asked_for() { edges.stopping_where_threads_block() } else { edges }
    }

    /// The edge into a deadlock at a control.
    pub(super) fn edge<'p>(
        &mut self,
        edges: &Edges<'p>,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        at: ControlId,
    ) -> Option<Rc<Edge>> {
        if !self.are_asked_for() {
            return None;
        }
        if let Some(known) = self.known.get(&at) {
            return known.clone();
        }
        let edge = stuck(edges, encoder, terms, at).map(|block| {
            Rc::new(Edge {
                thread: ThreadId::MAIN,
                block,
                steps: Vec::new(),
                control: at,
                kind: Kind::Violation(Property::NoDeadlock, "deadlock".to_owned()),
                reads: Vec::new(),
                writes: Vec::new(),
                threads_changed: false,
                turns: false,
            })
        });
        self.known.insert(at, edge.clone());
        edge
    }

    /// The trace, unless it claims a deadlock that the interpreter does not see.
    pub(super) fn confirmed(&self, program: &Program, trace: Trace) -> Option<Trace> {
        if self.are_asked_for() { certify::replay(program, &trace).ok().map(|_| trace) } else { Some(trace) }
    }
}

/// That nobody moves, unless somebody always can.
fn stuck<'p>(
    edges: &Edges<'p>,
    encoder: &mut Encoder<'p>,
    terms: &mut Terms,
    at: ControlId,
) -> Option<Vec<Cmd>> {
    let control = Arc::clone(edges.control(at));
    let threads: Vec<ThreadId> = control.movable().collect();
    if threads.is_empty() || control.atomic.is_some() {
        return None;
    }
    let mut stuck = Vec::new();
    for thread in threads {
        let moves = encoder.moves(terms, &control, thread)?;
        let blocked = terms.not(moves);
        if terms.as_bool(blocked) == Some(false) {
            return None;
        }
        stuck.push(Cmd::Assume(blocked));
    }
    Some(stuck)
}
