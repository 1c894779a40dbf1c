//! All executions, a second time.
//!
//! The last thread that can move moves, one that does not read before one that does. A read takes its value from a write that is there, waits for a new one, or (where the model lets a
//! read return what it causes itself) is promised one of the values that were written in earlier rounds. Inputs of more than one bit make the check fail.

use super::candidate::Candidate;
use super::evaluate::{Code, Judgement};
use super::{failed, is_noticeable, judge, model};
use base::{Budget, Inconclusive};
use program::cat::UserModel;
use program::interp::{Identity, Interp, StepResult, ThreadId};
use program::{MemoryModel, Program, Property};
use semantics::Analysis;
use semantics::alone::{Attempt, Cell, Effect, Runner, Sharing, Taken};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use weak::for_graphs;

/// Checks that no execution of the program that the model allows violates the property.
pub fn check_graphs(program: &Program, property: Property, budget: &Budget) -> Result<(), Inconclusive> {
    check_graphs_under(program.memory_model, program, property, budget)
}

/// The same, under another model than that of the program.
pub fn check_graphs_under(
    which: MemoryModel,
    program: &Program,
    property: Property,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    if let Some(user) = which.user() {
        demand_lasting(user)?;
    }
    let program = for_graphs(program);
    let interp = Interp::new(&program)?;
    let analysis = Analysis::of(&program);
    let sharing = Sharing::new(&analysis, which);
    let mut check = Check {
        model: model(which),
        sequential: (property == Property::Robustness).then(|| model(MemoryModel::Sc)),
        which,
        property,
        budget,
        written: BTreeMap::new(),
        open: Vec::new(),
    };
    for round in 0.. {
        if round > MOST_ROUNDS && which.user().is_some() {
            break;
        }
        let known = check.written.clone();
        let candidate = Candidate::new(&interp, &sharing, which);
        let lanes = vec![Lane::default()];
        check.open.push(PartialCandidate { candidate, lanes, promised: Vec::new(), violates: false });
        while let Some(node) = check.open.pop() {
            budget.check()?;
            check.visit(node)?;
        }
        if known == check.written {
            return Ok(());
        }
    }
    Err(failed(0, "reading values causes more and more of them"))
}

/// How often values that can be promised may lead to new ones, in a user's model.
const MOST_ROUNDS: usize = 32;

/// The enumeration gives up an execution as soon as an axiom is violated.
fn demand_lasting(user: &UserModel) -> Result<(), Inconclusive> {
    match user.model.facts.not_monotone {
        Some(_) => Err(failed(0, "an axiom can hold again after it was violated")),
        None => Ok(()),
    }
}

/// How often a thread comes to a state without having written, if the question is whether an execution is sequentially consistent. A shortest cycle
/// passes through at most two accesses of each thread; iterations that contain neither of them can be left out, so that a state is met once before
/// the first of the two accesses, once between them, and once after the second.
const VISITS: usize = 3;

/// Events as bits.
fn set(events: &[usize]) -> u128 {
    events.iter().fold(0, |set, event| set | 1 << event)
}

/// What a thread waits for.
#[derive(Clone, Default)]
struct Lane {
    stuck: bool,
    /// The cell that it reads next, if that is known.
    reads: Option<Cell>,
    /// A read of this cell, which none of these writes satisfies.
    waits: Option<(Cell, u128)>,
    /// The thread at its reads since it has last written.
    states: Arc<Vec<Runner>>,
}

#[derive(Clone)]
struct PartialCandidate<'i, 'p> {
    candidate: Candidate<'i, 'p>,
    lanes: Vec<Lane>,
    promised: Vec<usize>,
    violates: bool,
}

struct Check<'b, 'i, 'p> {
    model: &'static Code,
    /// Sequential consistency, if every execution must be allowed by that, too.
    sequential: Option<&'static Code>,
    which: MemoryModel,
    property: Property,
    budget: &'b Budget,
    written: BTreeMap<(Identity, u64), BTreeSet<(u128, ThreadId)>>,
    open: Vec<PartialCandidate<'i, 'p>>,
}

impl<'i, 'p> Check<'_, 'i, 'p> {
    fn promises(&self) -> bool {
        match self.which {
            MemoryModel::Rmo | MemoryModel::Power | MemoryModel::Arm | MemoryModel::Riscv => true,
            MemoryModel::User(user) => user.model.facts.load_buffering,
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso | MemoryModel::C11 => false,
        }
    }

    /// Whether an iteration that only reads can be left out only if it changes no dependency.
    fn by_dependencies(&self) -> bool {
        self.promises() || self.which.user().is_some_and(|user| user.model.facts.dependencies)
    }

    fn visit(&mut self, mut node: PartialCandidate<'i, 'p>) -> Result<(), Inconclusive> {
        let is_idle = |read: &usize| {
            let thread = node.candidate.thread(*read);
            let moves =
                |thread: usize| !node.lanes[thread].stuck && node.candidate.members[thread].ended.is_none();
            node.candidate.needs_no_promise(*read, thread.is_some_and(moves))
        };
        if node.promised.iter().any(is_idle) {
            return Ok(());
        }
        for thread in (0..node.lanes.len()).rev() {
            let Some((cell, seen)) = node.lanes[thread].waits else { continue };
            let mut writes = node.candidate.writes(cell)?;
            let all = set(&writes);
            if all == seen {
                continue;
            }
            let mut goes_on = node.clone();
            goes_on.lanes[thread].waits = None;
            node.lanes[thread].waits = Some((cell, all));
            self.open.push(node);
            writes.retain(|write| seen >> write & 1 == 0);
            writes.sort_unstable();
            for write in writes {
                if let Some(value) = goes_on.candidate.value(write) {
                    self.step(goes_on.clone(), thread, value, Some(write))?;
                }
            }
            return Ok(());
        }
        let movable = (0..node.lanes.len()).rev().filter(|thread| self.can_move(&node, *thread));
        let movable: Vec<usize> = movable.collect();
        match movable.iter().find(|thread| node.lanes[**thread].reads.is_none()).or(movable.first()) {
            Some(thread) => self.advance(node, *thread),
            None => Ok(()),
        }
    }

    fn can_move(&self, node: &PartialCandidate<'_, '_>, thread: usize) -> bool {
        let (lane, member) = (&node.lanes[thread], &node.candidate.members[thread]);
        let joins = node.candidate.join_target(thread);
        !lane.stuck
            && lane.waits.is_none()
            && member.ended.is_none()
            && joins.is_none_or(|target| node.candidate.members[target].ended.is_some())
    }

    fn waits_for_an_end(&self, node: &PartialCandidate<'_, '_>, thread: usize) -> bool {
        let target = node.candidate.join_target(thread);
        target.is_some_and(|target| node.candidate.members[target].ended.is_none())
    }

    /// Lets a thread move until its next visible step; where that reads, others may write first.
    fn advance(&mut self, mut node: PartialCandidate<'i, 'p>, thread: usize) -> Result<(), Inconclusive> {
        if let Some(cell) = node.lanes[thread].reads.take() {
            return self.read(node, thread, cell);
        }
        loop {
            self.budget.check()?;
            match node.candidate.attempt(thread, &[], &[])? {
                Attempt::Done(taken)
                    if taken.result == StepResult::Continue && !taken.effects.iter().any(is_noticeable) =>
                {
                    node.candidate.take(thread, &taken)?;
                    if node.candidate.members[thread].ended.is_some() {
                        self.open.push(node);
                        return Ok(());
                    }
                }
                Attempt::Done(taken) => return self.commit(node, thread, &taken, None),
                Attempt::Open(width) if width.bits() == 1 => {
                    for input in [0, 1] {
                        let mut node = node.clone();
                        let Attempt::Done(taken) = node.candidate.attempt(thread, &[], &[input])? else {
                            return Err(failed(0, "a step has several inputs"));
                        };
                        self.commit(node, thread, &taken, None)?;
                    }
                    return Ok(());
                }
                Attempt::Open(_) => return Err(failed(0, "an input has too many values")),
                Attempt::Reads(cell) => {
                    node.lanes[thread].reads = Some(cell);
                    self.open.push(node);
                    return Ok(());
                }
            }
        }
    }

    fn read(
        &mut self,
        mut node: PartialCandidate<'i, 'p>,
        thread: usize,
        cell: Cell,
    ) -> Result<(), Inconclusive> {
        let runner = node.candidate.essence(thread);
        // What a user's model orders before one read, it need not order before another.
        let free = self.which.user().is_some();
        let same = |first: usize, second: usize| !free && node.candidate.can_be_replaced(first, second);
        // Where dependencies order accesses, an iteration is superfluous only if they are the same without it.
        let repeats = |known: &&Runner| {
            known.state == runner.state
                && (!self.by_dependencies() || runner.keeps_dependencies(known, &same))
        };
        let visits = node.lanes[thread].states.iter().filter(repeats).count();
        let forgets_reads = self.which.user().is_none_or(|user| user.model.facts.forgets_reads);
        if visits >= VISITS && !forgets_reads {
            return Err(failed(0, "a thread repeats itself, and what it reads may matter"));
        }
        if self.sequential.is_some() && visits >= VISITS {
            node.lanes[thread].stuck = true;
            self.open.push(node);
            return Ok(());
        } else if self.sequential.is_none() && visits > 0 && forgets_reads {
            return Ok(());
        }
        Arc::make_mut(&mut node.lanes[thread].states).push(runner);
        let writes = node.candidate.writes(cell)?;
        for write in &writes {
            if let Some(value) = node.candidate.value(*write) {
                self.step(node.clone(), thread, value, Some(*write))?;
                continue;
            }
            if self.which.user().is_some() {
                return Err(failed(0, "indeterminate memory may be read"));
            }
            let unset = node.candidate.reading_nothing(thread, cell, *write)?;
            if judge(self.model, &unset, node.promised.is_empty()).allowed {
                return Err(failed(0, "indeterminate memory is read"));
            }
        }
        let interp = node.candidate.interp();
        // A user's model need not order anything behind an acquiring read, nor what a thread writes behind what it reads.
        if self.promises() && (free || !node.candidate.members[thread].runner.acquires_next(interp)) {
            let own = node.candidate.members[thread].runner.thread;
            let written = self.written.get(&(cell.object, cell.offset)).into_iter().flatten();
            let values = written.filter(|(_, writer)| free || *writer != own).map(|(value, _)| *value);
            for value in values.collect::<BTreeSet<u128>>() {
                self.step(node.clone(), thread, value, None)?;
            }
        }
        node.lanes[thread].waits = Some((cell, set(&writes)));
        self.open.push(node);
        Ok(())
    }

    /// A read returns `value`.
    fn step(
        &mut self,
        mut node: PartialCandidate<'i, 'p>,
        thread: usize,
        value: u128,
        from: Option<usize>,
    ) -> Result<(), Inconclusive> {
        match node.candidate.attempt(thread, &[value], &[])? {
            Attempt::Done(taken) => self.commit(node, thread, &taken, Some(from)),
            Attempt::Reads(_) | Attempt::Open(_) => {
                Err(failed(0, "a step reads several shared cells, or has an input"))
            }
        }
    }

    fn commit(
        &mut self,
        mut node: PartialCandidate<'i, 'p>,
        thread: usize,
        taken: &Taken,
        from: Option<Option<usize>>,
    ) -> Result<(), Inconclusive> {
        match &taken.result {
            StepResult::Blocked if from.is_some() => return Ok(()),
            // It came to a join after steps of its own: it can move when that thread has ended.
            StepResult::Blocked if self.waits_for_an_end(&node, thread) => {
                self.open.push(node);
                return Ok(());
            }
            StepResult::Violation { property, .. } if *property == self.property => {
                node.lanes[thread].stuck = true;
                node.violates = true;
            }
            StepResult::Blocked | StepResult::Pruned | StepResult::Violation { .. } => {
                node.lanes[thread].stuck = true;
                self.open.push(node);
                return Ok(());
            }
            StepResult::Ended => node.lanes[thread].stuck = true,
            StepResult::Continue => {}
            StepResult::NoChoice
            | StepResult::Undefined(_)
            | StepResult::Unsupported(_)
            | StepResult::Bound(_) => {
                return Err(failed(0, &format!("a step ends without a meaning: {:?}", taken.result)));
            }
        }
        let repeats = self.repeats(&node, thread, taken, from);
        let n_events = node.candidate.len();
        let n_promised = node.promised.len();
        let (reads, write) = node.candidate.take(thread, taken)?;
        if reads.len() != usize::from(from.is_some()) {
            return Err(failed(0, "a step reads what it has written"));
        }
        node.lanes.resize(node.candidate.members.len(), Lane::default());
        if let (Some(from), Some(read)) = (from, reads.first()) {
            match from {
                Some(write) => node.candidate.sources.insert(*read, write),
                None => node.promised.push(*read),
            }
        }
        match write {
            Some(write) => {
                node.lanes[thread].states = Arc::new(repeats.into_iter().collect());
                self.place(node, thread, write, (n_events, n_promised))
            }
            None => self.accept(node, thread, (n_events, n_promised)),
        }
    }

    /// The thread before a read-modify-write that stores what it has read: coming back to it repeats it (see `Runner::exchanges_next`).
    fn repeats(
        &self,
        node: &PartialCandidate<'i, 'p>,
        thread: usize,
        taken: &Taken,
        from: Option<Option<usize>>,
    ) -> Option<Runner> {
        let runner = &node.candidate.members[thread].runner;
        let accesses = |effect: &Effect| match effect {
            Effect::Read { value, .. } => Some((false, *value)),
            Effect::Write { value, .. } => Some((true, *value)),
            _ => None,
        };
        let accesses: Vec<(bool, u128)> = taken.effects.iter().filter_map(accesses).collect();
        let same = matches!(accesses[..], [(false, read), (true, written)] if read == written);
        let repeats = same
            && self.sequential.is_none()
            && self.which.user().is_none()
            && matches!(from, Some(Some(_)))
            && runner.exchanges_next(node.candidate.interp());
        repeats.then(|| node.candidate.essence(thread))
    }

    /// Puts a write at every place of the coherence order, and lets it keep any promises.
    fn place(
        &mut self,
        node: PartialCandidate<'i, 'p>,
        thread: usize,
        write: usize,
        before: (usize, usize),
    ) -> Result<(), Inconclusive> {
        let cell = node.candidate.cell(write).expect("a write should have a cell");
        let key = (cell.object, cell.offset);
        let kept = node.promised.iter().copied().filter(|read| {
            node.candidate.cell(*read) == Some(cell)
                && node.candidate.value(*read) == node.candidate.value(write)
                && node.candidate.depends(write, *read)
        });
        let kept: Vec<usize> = kept.collect();
        for place in 1..=node.candidate.coherence[&key].len() {
            for which in 0..1u128 << kept.len() {
                let mut node = node.clone();
                let order = node.candidate.coherence.get_mut(&key).expect("an accessed cell should be known");
                Arc::make_mut(order).insert(place, write);
                for (_, read) in kept.iter().enumerate().filter(|(n, _)| which >> n & 1 == 1) {
                    node.candidate.sources.insert(*read, write);
                    node.promised.retain(|promised| promised != read);
                }
                self.accept(node, thread, before)?;
            }
        }
        Ok(())
    }

    /// Goes on from a part of an execution, if the model allows it; `before` has the numbers of its events and promises before the last step.
    ///
    /// What comes after everything else ([`Candidate::comes_last`]) is allowed if the rest is, so that the model is not evaluated. This is no part of the argument: to go on
    /// from an execution that is not allowed can only make the check fail.
    fn accept(
        &mut self,
        node: PartialCandidate<'i, 'p>,
        thread: usize,
        before: (usize, usize),
    ) -> Result<(), Inconclusive> {
        if !node.promised.is_empty() && node.candidate.is_alone(thread) {
            return Ok(());
        }
        let (n_events, n_promised) = before;
        let matters = node.violates || self.property == Property::NoDataRace;
        let goes_on = node.candidate.len() >= n_events && node.promised.len() >= n_promised;
        let judgement = match goes_on && !matters && node.candidate.comes_last(n_events) {
            true => Judgement { allowed: true, flagged: false },
            false => judge(self.model, &node.candidate, node.promised.is_empty()),
        };
        if !judgement.allowed {
            return Ok(());
        }
        if node.promised.is_empty() {
            let sequential = self.sequential.is_none_or(|sc| judge(sc, &node.candidate, true).allowed);
            if !sequential {
                return Err(failed(0, "there is an execution that is not sequentially consistent"));
            }
            if node.violates || self.property == Property::NoDataRace && judgement.flagged {
                return Err(failed(0, "there is an execution that violates the property"));
            }
            if self.promises() {
                for (cell, value) in node.candidate.written() {
                    self.written.entry(cell).or_default().insert(value);
                }
            }
        }
        self.open.push(node);
        Ok(())
    }
}
