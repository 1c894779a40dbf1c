//! Property monitors: deadlocks and data races are properties of states, expressed as error edges.
//!
//! | property | error edges at each global location |
//! |---|---|
//! | `no-deadlock` | `assume(no thread can move)`, where [`Encoder::moves`] says when a thread can. A thread whose next action cannot block makes it impossible, so that most locations have none |
//! | memory safety, undefined behaviour | none: they are properties of steps, and the encoder gives their violations outcomes of their own |
//! | `no-data-race` | for any two threads, `assume(they race)`, where [`races`](crate::encoding::races) says when that is |
//!
//! The reduced search has to pass through every state in question:
//!
//! - Transactions end before every action that can block, so that a blocked thread stands at the end of a transaction; or
//!   before every access that another thread may make, too, so that a thread that is about to race does.
//! - Waits on condition variables are followed for deadlocks, because only a signal counts as a way out of a wait; spurious
//!   wake-ups lead to more states, but do not resolve a deadlock (SOUNDNESS: A9).
//! - A thread that blocks inside an atomic section blocks all others: such executions do not count as deadlocks.
//!
//! The conditions of error edges err towards a violation: the extent of `free` is not known, and a guard on an input counts as one that does not
//! hold. A violation that the interpreter does not confirm is therefore no answer, with what each side says ([`Monitor::confirm`]).

use super::concretise::Execution;
use super::edges::{Edge, Edges, GlobalLocationId};
use crate::analysis::Analysis;
use crate::encoding::{Encoder, SuccessorKind, races::Race};
use base::Inconclusive;
use logic::path::Cmd;
use logic::{Model, Terms};
use program::Property;
use program::interp::{StepResult, ThreadId, span_name};
use program::trace::TraceStep;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Adds error edges for a property of states.
pub struct Monitor {
    property: Property,
    known: FxHashMap<GlobalLocationId, Rc<[Rc<Edge>]>>,
}

impl Monitor {
    /// A monitor of `property`; one of steps needs no error edges.
    pub fn new(property: Property) -> Self {
        Self { property, known: FxHashMap::default() }
    }

    /// An encoder that follows what the property is about.
    pub fn encoder<'p>(&self, analysis: &Arc<Analysis<'p>>) -> Result<Encoder<'p>, Inconclusive> {
        let encoder = Encoder::new(analysis)?;
        Ok(if self.property == Property::NoDeadlock {
            encoder.following_waits()
        } else {
            encoder.checking(self.property)
        })
    }

    /// Edges that end where the property needs them to.
    pub fn edges<'p>(&self, edges: Edges<'p>) -> Edges<'p> {
        match self.property {
            Property::NoDeadlock => edges.stopping_where_threads_block(),
            Property::NoDataRace => edges.stopping_before_accesses(),
            _ => edges,
        }
    }

    /// The error edges at a global location.
    pub fn edges_at<'p>(
        &mut self,
        edges: &mut Edges<'p>,
        encoder: &mut Encoder<'p>,
        terms: &mut Terms,
        at: GlobalLocationId,
    ) -> Rc<[Rc<Edge>]> {
        if let Some(known) = self.known.get(&at) {
            return Rc::clone(known);
        }
        let found: Rc<[Rc<Edge>]> = match self.property {
            Property::NoDeadlock => {
                let kind = SuccessorKind::Violation(Property::NoDeadlock, "deadlock".to_owned());
                stuck(edges, encoder, terms, at)
                    .map(|block| edges.error_edge(at, block, kind, None))
                    .into_iter()
                    .collect()
            }
            Property::NoDataRace => match encoder.races(terms, edges.control(at)) {
                Ok(races) => races.into_iter().map(|race| race_edge(edges, at, race)).collect(),
                Err(kind) => Rc::new([edges.error_edge(at, Vec::new(), kind, None)]),
            },
            _ => Rc::new([]),
        };
        self.known.insert(at, Rc::clone(&found));
        found
    }

    /// The steps that show the violation at the end of an execution that reaches the error edge `edge`. Fails if the
    /// interpreter does not see the violation that the formula sees.
    pub fn confirm(
        &self,
        encoder: &Encoder<'_>,
        terms: &mut Terms,
        edge: &Edge,
        mut execution: Execution<'_>,
        model: &Model,
    ) -> Result<Vec<TraceStep>, Inconclusive> {
        match self.property {
            // Formulas do not follow which objects are alive unless that is the question.
            property if !property.is_about_validity() && execution.is_undefined() => {
                Err(disagreement("a violation", "the execution is undefined before it", &execution))
            }
            Property::NoDeadlock if !execution.interp.is_deadlock(&execution.state) => {
                Err(disagreement("a deadlock", "a thread can move", &execution))
            }
            Property::NoDataRace => {
                let sides = edge
                    .racers
                    .map(|pair| pair.map(|thread| execution.about_to(encoder.names(), terms, thread, model)));
                let Some([Some(left), Some(right)]) = sides else {
                    return Err(disagreement("a data race", "one of the threads does not exist", &execution));
                };
                if !execution.races(&left, &right) {
                    return Err(disagreement("a data race", "the next accesses do not race", &execution));
                }
                execution.steps.extend([left, right]);
                Ok(execution.steps)
            }
            property if property.is_about_validity() && !execution.violates(property) => {
                Err(disagreement("undefined behaviour or a leak", "there is none", &execution))
            }
            _ => Ok(execution.steps),
        }
    }
}

fn race_edge(edges: &mut Edges<'_>, at: GlobalLocationId, race: Race) -> Rc<Edge> {
    let kind = SuccessorKind::Violation(Property::NoDataRace, "data race".to_owned());
    edges.error_edge(at, vec![Cmd::Assume(race.when)], kind, Some(race.threads))
}

impl Execution<'_> {
    /// Returns true if the last step has no meaning in C.
    fn is_undefined(&self) -> bool {
        matches!(self.end, Some((_, _, StepResult::Undefined(_))))
    }

    /// Returns true if the last step is undefined or leaks, as a property forbids.
    fn violates(&self, property: Property) -> bool {
        match &self.end {
            Some((_, _, StepResult::Undefined(undefined))) => property.includes(undefined.property()),
            Some((before, thread, StepResult::Ended)) => {
                self.interp.leak(before, &self.state, *thread, property).is_some()
            }
            _ => false,
        }
    }

    /// Returns true if two steps that are about to be taken make accesses that race.
    fn races(&self, left: &TraceStep, right: &TraceStep) -> bool {
        let accesses = |step: &TraceStep| {
            let mut choices = program::trace::Scripted { rest: &step.choices };
            self.interp.next_accesses(&self.state, step.thread, &mut choices)
        };
        let (left, right) = (accesses(left), accesses(right));
        left.iter().any(|l| right.iter().any(|r| l.races_with(r)))
    }
}

fn disagreement(formula: &str, interpreter: &str, execution: &Execution<'_>) -> Inconclusive {
    let program = execution.interp.program();
    let threads = execution.state.threads().filter_map(|(id, _)| {
        let position = execution.interp.position(&execution.state, id)?;
        Some(format!("{id} at {}", span_name(program, position.span)))
    });
    let threads: Vec<String> = threads.collect();
    Inconclusive::NoProof(format!(
        "the formulas see {formula} after {} steps, but in the interpreter {interpreter} ({})",
        execution.steps.len(),
        threads.join(", ")
    ))
}

/// That no thread can move, unless one always can.
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
