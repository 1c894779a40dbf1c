//! What is asked of states rather than of steps: deadlocks and data races, as more edges that violate the property.
//!
//! | property | at each control, the virtual edges |
//! |---|---|
//! | `no-deadlock` | `assume(nobody moves)`, where [`semantics::encoding::Encoder::moves`] says when a thread does. A thread whose next action cannot block makes it impossible, so that most controls have none |
//! | `no-data-race` | for any two threads, `assume(they race)`, where [`semantics::encoding::races`] says when that is |
//!
//! The reduced search has to pass through every state in question:
//!
//! - Runs end before every action that can block, so that whoever is blocked stands at the end of a run; or before every access that
//!   another thread may make, too, so that whoever is about to race does.
//! - Who waits on a condition variable is followed for deadlocks, because only a signal counts as a way out of a wait; spurious
//!   wake-ups lead to more states, but do not save from a deadlock (SOUNDNESS: A9).
//! - A thread that blocks inside an atomic section blocks all others: such executions do not count as deadlocks.
//!
//! A trace is handed over only if the interpreter, too, finds the violation at its end.

use crate::edges::{Edge, Edges, GlobalLocationId};
use crate::trace::Ranks;
use base::Inconclusive;
use evidence::{Trace, TraceStep};
use logic::Terms;
use logic::path::Cmd;
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::FxHashMap;
use semantics::encoding::{Encoder, SuccessorKind};
use std::rc::Rc;
use std::sync::Arc;

/// Watches over states, if that is the question.
pub(crate) struct Watch {
    property: Property,
    known: FxHashMap<GlobalLocationId, Rc<[Rc<Edge>]>>,
    /// Who races on an edge.
    racers: FxHashMap<*const Edge, [ThreadId; 2]>,
}

impl Watch {
    pub(crate) fn new(property: Property) -> Self {
        Self { property, known: FxHashMap::default(), racers: FxHashMap::default() }
    }

    /// An encoder that knows what is needed.
    pub(crate) fn encoder<'p>(&self, program: &'p Program) -> Result<Encoder<'p>, Inconclusive> {
        let encoder = Encoder::new(program)?;
        Ok(if self.property == Property::NoDeadlock { encoder.following_waits() } else { encoder })
    }

    /// Edges that end where they have to.
    pub(crate) fn edges<'p>(&self, edges: Edges<'p>) -> Edges<'p> {
        match self.property {
            Property::NoDeadlock => edges.stopping_where_threads_block(),
            Property::NoDataRace => edges.stopping_before_accesses(),
            _ => edges,
        }
    }

    /// The virtual edges at a control.
    pub(crate) fn edges_at<'p>(
        &mut self,
        edges: &Edges<'p>,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        at: GlobalLocationId,
    ) -> Rc<[Rc<Edge>]> {
        if let Some(known) = self.known.get(&at) {
            return Rc::clone(known);
        }
        let found: Rc<[Rc<Edge>]> = match self.property {
            Property::NoDeadlock => {
                let what = SuccessorKind::Violation(Property::NoDeadlock, "deadlock".to_owned());
                stuck(edges, encoder, terms, at)
                    .map(|block| virtual_edge(at, block, what))
                    .into_iter()
                    .collect()
            }
            Property::NoDataRace => self.races(edges, encoder, terms, at),
            _ => Rc::new([]),
        };
        self.known.insert(at, Rc::clone(&found));
        found
    }

    fn races<'p>(
        &mut self,
        edges: &Edges<'p>,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        at: GlobalLocationId,
    ) -> Rc<[Rc<Edge>]> {
        let races = match encoder.races(terms, edges.control(at)) {
            Ok(races) => races,
            Err(kind) => return Rc::new([virtual_edge(at, Vec::new(), kind)]),
        };
        let edge = |race: semantics::encoding::races::Race| {
            let kind = SuccessorKind::Violation(Property::NoDataRace, "data race".to_owned());
            let edge = virtual_edge(at, vec![Cmd::Assume(race.when)], kind);
            self.racers.insert(Rc::as_ptr(&edge), race.threads);
            edge
        };
        races.into_iter().map(edge).collect()
    }

    /// The whole trace that ends with `edge`, unless it claims something that the interpreter does not see.
    pub(crate) fn confirmed(
        &self,
        program: &Program,
        edge: &Rc<Edge>,
        trace: Trace,
        ranks: &Ranks,
    ) -> Option<Trace> {
        match self.property {
            Property::NoDeadlock => certify::replay(program, &trace).ok().map(|_| trace),
            Property::NoDataRace => self.raced(program, edge, trace, ranks),
            _ => Some(trace),
        }
    }

    /// The trace with the two accesses at its end. What they read that was never written is taken to be 0.
    fn raced(&self, program: &Program, edge: &Rc<Edge>, trace: Trace, ranks: &Ranks) -> Option<Trace> {
        let [left, right] = self.racers.get(&Rc::as_ptr(edge))?.map(|thread| ranks.get(&thread).copied());
        let step = |thread, n_choices| TraceStep { thread, choices: vec![0; n_choices] };
        let (left, right) = (left?, right?);
        let guesses = (0..=MAX_CHOICES).flat_map(|l| (0..=MAX_CHOICES).map(move |r| (l, r)));
        let mut attempts = guesses.map(|(l, r)| {
            let steps = trace.steps.iter().cloned().chain([step(left, l), step(right, r)]).collect();
            Trace { property: trace.property, steps, cycle: None }
        });
        attempts.find(|attempt| certify::replay(program, attempt).is_ok())
    }
}

/// An access that needs more values than this is not shown.
const MAX_CHOICES: usize = 2;

fn virtual_edge(at: GlobalLocationId, block: Vec<Cmd>, kind: SuccessorKind) -> Rc<Edge> {
    Rc::new(Edge {
        thread: ThreadId::MAIN,
        block,
        steps: Vec::new(),
        choices: Vec::new(),
        control: at,
        kind,
        reads: Vec::new(),
        writes: Vec::new(),
        threads_changed: false,
        turns: false,
    })
}

/// That nobody moves, unless somebody always can.
fn stuck<'p>(
    edges: &Edges<'p>,
    encoder: &mut Encoder<'p>,
    terms: &mut Terms,
    at: GlobalLocationId,
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
