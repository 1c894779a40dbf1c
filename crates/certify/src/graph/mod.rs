//! Executions under weak memory models: is one allowed, and were all of them seen?
//!
//! A violation ([`GraphTrace`]) is executed again, one thread at a time: every step must be possible with the values that its reads are said to return,
//! each of these must be what the named step wrote to that cell, and the model must allow the result. The models are the files
//! `models/*.cat`, read by [`cat`]; the engine has its own axioms in Rust, and nothing is shared between the two.
//!
//! A user's model ([`program::cat`]) is read by code that it shares with the engine, and evaluated by its own.
//!
//! For `true`, all executions are enumerated a second time, by code that shares only the execution of single threads
//! ([`semantics::alone`]) with the engine's: the threads are tried in the opposite order, and the models are the same files.

mod candidate;
mod cat;
mod cycle;
mod enumerate;
mod evaluate;
mod user;

pub use cycle::{Access, Edge, Link};
pub use enumerate::{check_graphs, check_graphs_under};

use crate::replay::Violation;
use base::{Inconclusive, Span};
use candidate::Candidate;
use evaluate::{Code, Judgement};
use evidence::{GraphStep, GraphTrace};
use program::interp::{Event, Interp, State, StepResult, ThreadId};
use program::{MemoryModel, Property};
use semantics::Analysis;
use semantics::alone::{Attempt, Effect, Sharing, Taken};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The text of a model.
fn text(model: MemoryModel) -> &'static str {
    match model {
        MemoryModel::Sc => include_str!("models/sc.cat"),
        MemoryModel::Tso => include_str!("models/tso.cat"),
        MemoryModel::Pso => include_str!("models/pso.cat"),
        MemoryModel::Rmo => include_str!("models/rmo.cat"),
        MemoryModel::Power => include_str!("models/power.cat"),
        MemoryModel::Arm => include_str!("models/arm.cat"),
        MemoryModel::Riscv => include_str!("models/riscv.cat"),
        MemoryModel::C11 => include_str!("models/c11.cat"),
        MemoryModel::User(_) => unreachable!("a user's model should not be built in"),
    }
}

/// The models that are built in, each read from its file when it is first needed.
static MODELS: [OnceLock<Code>; MemoryModel::ALL.len()] = [const { OnceLock::new() }; MemoryModel::ALL.len()];

fn model(which: MemoryModel) -> &'static Code {
    if let MemoryModel::User(user) = which {
        return user::code(user);
    }
    let position = MemoryModel::ALL.iter().position(|(model, _)| *model == which);
    MODELS[position.expect("a model that is built in should be listed")].get_or_init(|| {
        cat::parse(&[include_str!("models/prelude.cat"), text(which)])
            .expect("the models should be well-formed")
    })
}

/// What a model says about an execution; if some reads are not settled, whether it will say no whatever they read from.
fn judge(model: &Code, candidate: &Candidate<'_, '_>, settled: bool) -> Judgement {
    model.judge(candidate.environment(), settled)
}

/// What replaying an execution shows.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The violation that it ends in.
    pub violation: Violation,
    /// Why no sequentially consistent machine has this execution; empty if one has.
    pub cycle: Vec<Edge>,
}

/// Is told of each step: the state of its thread before, what happened, and the state after.
pub type Tell<'a> = dyn FnMut(&State, ThreadId, &[Event], &State) + 'a;

/// Runs the threads of `trace` again; fails unless its model allows that, and it ends in the violation that it claims.
pub fn replay_graph(
    interp: &Interp<'_>,
    trace: &GraphTrace,
    tell: &mut Tell<'_>,
) -> Result<Replayed, Inconclusive> {
    let analysis = Analysis::of(interp.program());
    let sharing = Sharing::new(&analysis, trace.model);
    if sharing.loses_order() {
        return Err(failed(0, "accesses to memory of one thread order others"));
    }
    let mut replay = Replay {
        candidate: Candidate::new(interp, &sharing, trace.model),
        model: model(trace.model),
        sequential: model(MemoryModel::Sc),
        trace,
        tell,
        writes: HashMap::new(),
        reads: Vec::new(),
        end: None,
        raced: false,
        told: 0,
        accesses: Vec::new(),
        cycle: Vec::new(),
    };
    for (n, step) in trace.steps.iter().enumerate() {
        replay.step(n, step)?;
    }
    replay.settle(trace.steps.len())?;
    let violation = replay.violation(interp)?;
    Ok(Replayed { violation, cycle: replay.cycle })
}

struct Replay<'a, 't, 'i, 'p> {
    candidate: Candidate<'i, 'p>,
    tell: &'a mut Tell<'t>,
    model: &'static Code,
    /// Sequential consistency.
    sequential: &'static Code,
    trace: &'a GraphTrace,
    /// The write of each step, since the last time that the first thread was alone.
    writes: HashMap<usize, usize>,
    /// The reads since then, with the number of their step, and where they are said to come from.
    reads: Vec<(usize, Option<usize>)>,
    end: Option<(String, Span)>,
    raced: bool,
    /// The number of steps so far, silent ones included.
    told: usize,
    /// For each event its step and its place.
    accesses: Vec<Access>,
    /// The first cycle.
    cycle: Vec<Edge>,
}

impl Replay<'_, '_, '_, '_> {
    /// The violation in which the execution ends.
    fn violation(&self, interp: &Interp<'_>) -> Result<Violation, Inconclusive> {
        let property = self.trace.property;
        let n_steps = self.trace.steps.len();
        let last = || {
            let position = self.trace.steps.last().and_then(|step| {
                let runner = &self.candidate.members[step.thread].runner;
                interp.position(&runner.state, runner.thread)
            });
            position.map_or(Span::NOWHERE, |p| p.span)
        };
        match property {
            Property::NoDataRace if self.raced => {
                let message =
                    "data race: nothing orders two accesses, not both atomic, of which one writes".to_owned();
                Ok(Violation { property, message, span: last() })
            }
            Property::Robustness if self.cycle.is_empty() => {
                Err(failed(n_steps, "the execution is sequentially consistent"))
            }
            Property::Robustness => {
                let message = "no sequentially consistent machine has this execution".to_owned();
                Ok(Violation { property, message, span: last() })
            }
            _ => {
                let (message, span) = self
                    .end
                    .clone()
                    .ok_or_else(|| failed(n_steps, "the execution ends without a violation"))?;
                Ok(Violation { property, message, span })
            }
        }
    }

    fn step(&mut self, n: usize, step: &GraphStep) -> Result<(), Inconclusive> {
        if step.thread >= self.candidate.members.len() {
            return Err(failed(n, "there is no such thread"));
        }
        for _ in 0..step.silent {
            let taken = self.attempt(n, step.thread, &[], &[])?;
            if taken.effects.iter().any(is_noticeable) || taken.result != StepResult::Continue {
                return Err(failed(n, "a visible step is said to be silent"));
            }
            self.take(step.thread, &taken)?;
        }
        let values: Vec<u128> = step.reads.iter().map(|read| read.value).collect();
        let taken = self.attempt(n, step.thread, &values, &step.inputs)?;
        let begins = taken.effects.iter().any(|e| matches!(e, Effect::Start(_)))
            && self.candidate.is_alone(step.thread);
        if begins || taken.effects.iter().any(|e| matches!(e, Effect::Join(_))) {
            self.settle(n)?;
        }
        if begins {
            self.writes.clear();
            self.reads.clear();
            self.accesses.clear();
        }
        let (reads, write) = self.take(step.thread, &taken)?;
        if reads.len() != step.reads.len() {
            return Err(failed(n, "it reads another number of cells than is said"));
        }
        self.reads.extend(reads.into_iter().zip(step.reads.iter().map(|read| read.from)));
        if let Some(write) = write {
            self.writes.insert(n, write);
            let cell = self.candidate.cell(write).expect("a write should have a cell");
            let order = self.candidate.coherence.get_mut(&(cell.object, cell.offset));
            Arc::make_mut(order.expect("an accessed cell should be known")).push(write);
        }
        match taken.result {
            StepResult::Continue | StepResult::Ended => Ok(()),
            StepResult::Violation { property, message, span }
                if property == self.trace.property && self.end.is_none() =>
            {
                self.end = Some((message, span));
                Ok(())
            }
            other => Err(failed(n, &format!("the step ends otherwise: {other:?}"))),
        }
    }

    /// Adds a step to the candidate, and takes note where its events come from.
    fn take(&mut self, thread: usize, taken: &Taken) -> Result<(Vec<usize>, Option<usize>), Inconclusive> {
        self.told += 1;
        let runner = &self.candidate.members[thread].runner;
        let position = self.candidate.interp().position(&runner.state, runner.thread);
        let place = position.map(|p| (p.func, p.loc)).expect("a thread that moves should be somewhere");
        let events = self.candidate.take(thread, taken)?;
        for event in self.accesses.len()..self.candidate.len() {
            let write = self.candidate.is_write(event);
            self.accesses.push(Access { step: self.told, place, write });
        }
        Ok(events)
    }

    fn attempt(
        &mut self,
        n: usize,
        thread: usize,
        reads: &[u128],
        inputs: &[u128],
    ) -> Result<Taken, Inconclusive> {
        match self.candidate.attempt(thread, reads, inputs)? {
            Attempt::Done(taken) if taken.result == StepResult::Blocked => {
                Err(failed(n, "the thread is blocked"))
            }
            Attempt::Done(taken) => {
                let runner = &self.candidate.members[thread].runner;
                let violates = matches!(taken.result, StepResult::Violation { .. });
                let after = if violates { &runner.state } else { &taken.runner.state };
                (self.tell)(&runner.state, runner.thread, &taken.events, after);
                Ok(*taken)
            }
            Attempt::Reads(_) | Attempt::Open(_) => Err(failed(n, "a value is missing")),
        }
    }

    /// Takes over what the trace says about reads and coherence, and asks the model. When a thread was joined, everything it read from is there, unless
    /// a read is still to be settled; the model is asked again then.
    fn settle(&mut self, n: usize) -> Result<(), Inconclusive> {
        let mut settled = true;
        for (read, from) in &self.reads {
            let cell = self.candidate.cell(*read).expect("a read should have a cell");
            let write = match from {
                Some(step) => self.writes.get(step).copied(),
                None => {
                    self.candidate.writes(cell)?.into_iter().find(|write| self.candidate.is_initial(*write))
                }
            };
            let Some(write) = write else {
                if n == self.trace.steps.len() {
                    return Err(failed(n, "a read has no source"));
                }
                settled = false;
                continue;
            };
            if self.candidate.cell(write) != Some(cell)
                || self.candidate.value(write) != self.candidate.value(*read)
            {
                return Err(failed(n, "a read returns what was not written"));
            }
            self.candidate.sources.insert(*read, write);
        }
        for order in &self.trace.coherence {
            let place: HashMap<usize, usize> =
                order.iter().enumerate().filter_map(|(n, step)| Some((*self.writes.get(step)?, n))).collect();
            for writes in self.candidate.coherence.values_mut().map(Arc::make_mut) {
                if writes[1..].iter().all(|write| place.contains_key(write)) {
                    writes[1..].sort_by_key(|write| place[write]);
                }
            }
        }
        let judgement = judge(self.model, &self.candidate, settled);
        if !judgement.allowed {
            return Err(failed(n, &format!("{} does not allow this execution", self.trace.model)));
        }
        self.raced |= judgement.flagged;
        if settled && self.cycle.is_empty() && !judge(self.sequential, &self.candidate, true).allowed {
            self.cycle = cycle::cycle(&self.candidate, &self.accesses).unwrap_or_default();
        }
        Ok(())
    }
}

/// Returns true if an effect is visible to other threads.
fn is_noticeable(effect: &Effect) -> bool {
    !matches!(
        effect,
        Effect::Assign(..) | Effect::Branch(_) | Effect::Address(_) | Effect::Call(_) | Effect::Return(..)
    )
}

fn failed(n: usize, why: &str) -> Inconclusive {
    Inconclusive::CheckFailed(format!("execution graph, step {n}: {why}"))
}
