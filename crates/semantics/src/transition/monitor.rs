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
//! hold. A violation that the interpreter does not confirm is therefore no answer; but where the conditions are [exact](super::exactness), one of our two semantics is
//! wrong, and that is reported as the bug it is. Either way with what each side says ([`Monitor::confirm`]).

use super::concretise::Execution;
use super::edges::{Edge, Edges, GlobalLocationId};
use super::exactness::{self, Condition};
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
        if self.property == Property::UndefinedBehaviour && !execution.violates(self.property) {
            execution.go_on(edge.thread);
        }
        match self.property {
            // Formulas do not follow which objects are alive unless that is the question.
            property if !property.is_about_validity() && execution.is_undefined() => {
                Err(Inconclusive::NoProof(difference(
                    "a violation",
                    "the execution is undefined before it",
                    &execution,
                )))
            }
            Property::NoDeadlock if !execution.interp.is_deadlock(&execution.state) => {
                let threads: Vec<ThreadId> = execution.state.threads().map(|(id, _)| id).collect();
                let about = (encoder.analysis().as_ref(), &threads[..], Condition::Blocking);
                Err(disagreement("a deadlock", "a thread can move", &execution, about))
            }
            Property::NoDataRace => {
                let analysis = encoder.analysis().as_ref();
                let sides = edge
                    .racers
                    .map(|pair| pair.map(|thread| execution.about_to(encoder.names(), terms, thread, model)));
                let Some([Some(left), Some(right)]) = sides else {
                    let about = (analysis, &[][..], Condition::Accesses);
                    return Err(disagreement("a data race", "a thread does not exist", &execution, about));
                };
                if !execution.races(&left, &right) {
                    let about = (analysis, &[left.thread, right.thread][..], Condition::Accesses);
                    return Err(disagreement(
                        "a data race",
                        "the next accesses do not race",
                        &execution,
                        about,
                    ));
                }
                execution.steps.extend([left, right]);
                Ok(execution.steps)
            }
            property if property.is_about_validity() && !execution.violates(property) => {
                // What is demanded of an access errs towards a violation.
                let what = difference("undefined behaviour or a leak", "there is none", &execution);
                Err(Inconclusive::NoProof(what))
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

/// Whose conditions a formula is about.
type About<'a> = (&'a Analysis<'a>, &'a [ThreadId], Condition);

/// What the formulas see and what the interpreter does: no answer where one of the formulas is not exact, and a bug otherwise.
fn disagreement(
    formula: &str,
    interpreter: &str,
    execution: &Execution<'_>,
    (analysis, threads, condition): About<'_>,
) -> Inconclusive {
    let Execution { interp, state, .. } = execution;
    let what = difference(formula, interpreter, execution);
    let inexact = |id: &ThreadId, condition| {
        let why = exactness::inexact(analysis, interp, state, *id, condition)?;
        Some(format!("the formula for {id} is not exact: {why}"))
    };
    let why = match &execution.end {
        None => threads.iter().find_map(|id| inexact(id, condition)),
        // It was on its way to the violation.
        Some((_, id, StepResult::Blocked)) => inexact(id, Condition::Blocking),
        Some(_) => Some("the formulas do not follow what is undefined".to_owned()),
    };
    match why {
        Some(why) => Inconclusive::NoProof(format!("{what}; {why}")),
        None => Inconclusive::CheckFailed(format!("{what}, although the formulas are exact")),
    }
}

/// What the formulas see and what the interpreter does.
fn difference(formula: &str, interpreter: &str, execution: &Execution<'_>) -> String {
    let Execution { interp, state, steps, .. } = execution;
    let interpreter = match &execution.end {
        Some((_, id, StepResult::Undefined(what))) => format!("{id} does not go on ({what})"),
        Some((_, id, result)) => format!("{id} does not go on ({result:?})"),
        None => interpreter.to_owned(),
    };
    let places = state.threads().filter_map(|(id, _)| {
        let position = interp.position(state, id)?;
        Some(format!("{id} at {}", span_name(interp.program(), position.span)))
    });
    let places: Vec<String> = places.collect();
    format!(
        "the formulas see {formula} after {} steps, but in the interpreter {interpreter} ({})",
        steps.len(),
        places.join(", ")
    )
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::tests::parse;
    use crate::transition::{Path, concretise};

    /// What is said of a violation that a formula sees in the initial state, and the interpreter does not.
    fn disagree(property: Property, text: &str) -> Inconclusive {
        let program = parse(text);
        let analysis = Analysis::of(&program);
        let monitor = Monitor::new(property);
        let mut encoder = monitor.encoder(&analysis).unwrap();
        let mut edges = monitor.edges(Edges::new(&analysis, true, property));
        let mut terms = Terms::new();
        let (control, init) = encoder.initial(&mut terms).unwrap();
        let at = edges.intern(control);
        let kind = SuccessorKind::Violation(property, "made up".to_owned());
        let racers = (property == Property::NoDataRace).then_some([ThreadId::MAIN; 2]);
        let wrong = [edges.error_edge(at, Vec::new(), kind, racers)];
        let path = Path { init: &init, edges: &wrong };
        let execution = concretise(&encoder, &edges, &mut terms, &path, &Model::default()).unwrap();
        let confirmed = monitor.confirm(&encoder, &mut terms, &wrong[0], execution, &Model::default());
        confirmed.expect_err("the interpreter should not see it")
    }

    fn main_with(first: &str) -> String {
        format!(
            "object x: 4 = 0
             function main() -> 32 {{ reg r: 32 reg q: 64 reg b: 1 memory l: 4\n{first}\nreturn 0 }}"
        )
    }

    #[test]
    fn a_disagreement_on_exact_conditions_is_a_bug() {
        let found = disagree(Property::NoDeadlock, &main_with("guard [&x]:32 == 0"));
        let Inconclusive::CheckFailed(what) = found else { panic!("{found:?} should be a bug") };
        assert!(what.contains("the formulas see a deadlock after 0 steps"), "{what}");
        assert!(what.contains("in the interpreter a thread can move (t0 at "), "{what}");
        // A thread races with itself only if a formula is wrong.
        let found = disagree(Property::NoDataRace, &main_with("r = [&x]:32"));
        assert!(matches!(found, Inconclusive::CheckFailed(_)), "{found:?} should be a bug");
    }

    #[test]
    fn a_disagreement_on_other_conditions_is_no_answer() {
        let check = |property, first: &str, why: &str| {
            let found = disagree(property, &main_with(first));
            let Inconclusive::NoProof(what) = &found else { panic!("{first}: {found:?} should be no proof") };
            assert!(what.ends_with(why), "{first}: {what}");
        };
        check(Property::NoDeadlock, "havoc b; guard b == 0", "it may depend on an input");
        check(
            Property::NoDeadlock,
            "guard [&x]:32 == 0; assume [&x]:32 == 0",
            "the action has an assumption",
        );
        check(Property::NoDeadlock, "guard r == 0", "it depends on an indeterminate register");
        check(Property::NoDeadlock, "guard [&l]:32 == 0", "an address varies, or its object may die");
        check(Property::NoDataRace, "q = alloc(4)", "it may depend on an input");
        check(
            Property::NoDataRace,
            "r = ite([&x]:32 == 0, [&x]:32, [&x]:32)",
            "an access may stand in one side of a choice",
        );
    }
}
