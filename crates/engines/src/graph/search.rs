//! The search: all executions, each of them once.
//!
//! Threads are run one after the other: the first that can move and does not read next, or else the first that can move. A write is put at every place of its cell's coherence order; a read takes its
//! value from a write that is there, or is *postponed* until another thread has made a new one. So each execution in which no read depends on itself is
//! built in exactly one way: of every read, it is known whether its write was there when the read was first met.
//!
//! Models with load buffering have executions that cannot be built in this way, because a read returns what is written after it in its own thread's
//! order, through others. There a read may also be *promised* a value, which a write that it causes has to make good. The values are those
//! that other threads have written to the cell so far in the whole search, after they had read something; it is therefore repeated until there are no new ones: the number of
//! rounds bounds the length of a chain of promises, and there is no chain out of thin air in any of the models.
//!
//! # What is left out
//! - A thread that comes back to a state without having written since repeats itself: such an execution exists without the iteration, too, if what depended on a read before
//!   the iteration still does ([`Runner::keeps_dependencies`]). So waiting for a flag costs one read. The same holds for an iteration that begins with an acquiring read-modify-write which stores what it has read
//!   ([`Runner::exchanges_next`]), so that waiting for a lock that is an exchange costs one.
//!   Where the question is whether an execution is sequentially consistent, an iteration without effect may be part of the cycle that shows that it is not. A shortest
//!   cycle has at most two accesses of each thread, so that all iterations but two can be left out: a state may be met three times, and what an exchange writes counts.
//! - A read is promised a value only if its thread can make a write later that the model does not order after it: by acquiring, by dependencies or by fences. A cycle of program order and reading in which
//!   everything is ordered is forbidden by every model; each allowed one has a read that is not, and promising that one is enough
//!   ([`Runner::acquires_next`], [`PartialExecution::has_idle_promise`]).
//! - A read neither waits for a write nor is promised one that no other thread can make any more (`vain`).
//!
//! # Bounds
//! Threads that run for ever have no last execution. Executions in which no thread takes more than a few visible steps are explored first, then
//! longer ones: the bug is nearly always in a short one. A thread that reaches the limit stops, and so does one whose next step has no meaning in execution graphs; the
//! others go on. Either is remembered, and then there is no `true`.
//! - While a thread is the only one, memory is what it is, and there are no events. After all others were joined, every cell has the last
//!   value of its coherence order: they happen before, so that nothing older can be read.

mod promises;
mod users;
mod vain;

use super::axioms;
use super::effects::{Effects, apply_privately, is_silent};
use super::execution::Execution;
use super::node::{Choice, Cut, Member, PartialExecution, Status};
use super::relation::members;
use base::{Budget, Inconclusive};
use evidence::GraphTrace;
use program::interp::{Identity, Interp, StepResult, ThreadId};
use program::{Action, MemoryModel, Op, Property};
use semantics::alone::{Attempt, Cell, Futures, Runner, Sharing, Taken, unsupported};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Local actions that a thread takes between two events at most.
const MAX_SILENT: usize = 1_000_000;

/// How many steps a thread takes that others can notice: bugs of threads that run for ever are in short executions, which are explored first.
const LIMITS: [usize; 4] = [8, 16, 32, usize::MAX];

/// How often a thread comes to a state without having written, if the question is whether an execution is sequentially consistent.
const VISITS: usize = 3;

/// Values that an input is given; the search is not exhaustive if there are more.
const INPUTS: [u128; 2] = [0, 1];

/// What the search has seen.
#[derive(Default)]
pub struct Findings {
    /// Complete executions.
    pub executions: u64,
    /// Executions and parts of executions.
    pub nodes: u64,
    /// The first violation.
    pub violation: Option<GraphTrace>,
    /// Why there may be executions that were not seen.
    pub incomplete: Option<Inconclusive>,
    /// What complete executions leave in memory, if the search was told to take note of it.
    pub memories: BTreeSet<Memory>,
}

/// The content of all objects.
pub type Memory = Vec<(Identity, Vec<Option<u8>>)>;

/// Explores the executions of a program.
pub struct Search<'a, 'p> {
    interp: &'a Interp<'p>,
    sharing: Sharing<'a, 'p>,
    futures: Futures<'a, 'p>,
    model: MemoryModel,
    property: Property,
    budget: &'a Budget,
    /// The values that were written to each cell so far by a thread that had read something; only for models with load buffering.
    written: BTreeMap<(Identity, u64), BTreeSet<(u128, ThreadId)>>,
    /// How many steps a thread takes that others can notice,
    limit: usize,
    /// and whether one would have taken more.
    was_cut: bool,
    cut: Cut,
    takes_note: bool,
    /// The most executions and parts of executions.
    max_nodes: u64,
    findings: Findings,
}

impl<'a, 'p> Search<'a, 'p> {
    /// A search for violations of `property` under `model`.
    pub fn new(
        interp: &'a Interp<'p>,
        sharing: Sharing<'a, 'p>,
        futures: Futures<'a, 'p>,
        model: MemoryModel,
        property: Property,
        budget: &'a Budget,
    ) -> Self {
        let (written, findings) = (BTreeMap::new(), Findings::default());
        Self {
            interp,
            sharing,
            futures,
            model,
            property,
            budget,
            written,
            limit: usize::MAX,
            was_cut: false,
            cut: Cut::NoEffect,
            takes_note: false,
            max_nodes: u64::MAX,
            findings,
        }
    }

    /// Takes note of what complete executions leave in memory, with this rule for iterations that are left out.
    pub fn observing(self, cut: Cut) -> Self {
        Self { cut, takes_note: true, ..self }
    }

    /// Gives up after so many executions and parts of executions.
    pub fn with_limit(self, max_nodes: u64) -> Self {
        Self { max_nodes, ..self }
    }

    /// Explores until there is a violation, or everything was seen: first executions in which no thread takes more than a few steps that others can notice,
    /// then longer ones.
    pub fn run(mut self) -> Result<Findings, Inconclusive> {
        for limit in LIMITS {
            (self.limit, self.was_cut) = (limit, false);
            self.findings.incomplete = None;
            self.rounds()?;
            if self.findings.violation.is_some() || !self.was_cut {
                break;
            }
        }
        Ok(self.findings)
    }

    /// Explores all executions within the limit.
    fn rounds(&mut self) -> Result<(), Inconclusive> {
        for n in 0.. {
            let known = self.written.clone();
            self.findings.executions = 0;
            self.round()?;
            if self.findings.violation.is_some() || known == self.written {
                break;
            }
            if self.has_enough_rounds(n) {
                break;
            }
        }
        self.say_what_is_missing();
        Ok(())
    }

    fn round(&mut self) -> Result<(), Inconclusive> {
        let main = Runner::new(ThreadId::MAIN, self.interp.initial(), 0, 0);
        let members = vec![Arc::new(Member::new(main))];
        let execution = Execution::new(self.model);
        let root = PartialExecution {
            execution,
            earlier: Vec::new(),
            members,
            initial: Arc::default(),
            promised: Vec::new(),
            violates: false,
            steps: None,
        };
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            self.findings.nodes += 1;
            if self.findings.nodes > self.max_nodes {
                return Err(Inconclusive::Bound(format!("more than {} parts of executions", self.max_nodes)));
            }
            if self.findings.nodes.is_multiple_of(64) {
                self.budget.check()?;
            }
            self.expand(node, &mut stack)?;
            if self.findings.violation.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn expand(
        &mut self,
        mut node: PartialExecution,
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        if node.has_idle_promise() {
            return Ok(());
        }
        if let Some(t) = (0..node.members.len()).find(|t| node.has_news(*t)) {
            return self.resume(node, t, stack);
        }
        if self.is_in_vain(&node) {
            return Ok(());
        }
        for member in 0..node.members.len() {
            if let Status::Joining(target) = node.members[member].status
                && let Some(result) = node.result_of(target)
            {
                let waiting = node.member(member);
                self.interp.finish_elsewhere(&mut waiting.runner.state, target, result);
                waiting.status = Status::Ready;
            }
        }
        let is_ready = |m: &Member| m.status == Status::Ready;
        let does_not_read = node.members.iter().position(|m| is_ready(m) && !m.reads_next);
        match does_not_read.or_else(|| node.members.iter().position(|m| is_ready(m))) {
            Some(t) => self.advance(node, t, stack),
            None => {
                if !node.members.iter().any(|m| m.waits()) && node.promised.is_empty() {
                    self.findings.executions += 1;
                    if self.takes_note {
                        self.take_note(&node);
                    }
                }
                Ok(())
            }
        }
    }

    /// Takes note of what a complete execution leaves in memory, as the first thread sees it when it is the only one.
    fn take_note(&mut self, node: &PartialExecution) {
        if node.is_alone(0) {
            let state = &node.members[0].runner.state;
            let objects = self.interp.objects(state).into_iter();
            let contents = objects.filter_map(|object| Some((object, self.interp.bytes(state, object)?)));
            self.findings.memories.insert(contents.collect());
        }
    }

    /// A postponed read sees new writes: it takes one of them, or goes on waiting.
    fn resume(
        &mut self,
        mut node: PartialExecution,
        t: usize,
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        let Status::Postponed { cell, seen, reads } = node.members[t].status.clone() else {
            unreachable!("only a postponed read has news")
        };
        let writes = node.writes(cell);
        node.member(t).status = Status::Postponed { cell, seen: writes, reads: reads.clone() };
        stack.push(node.clone());
        node.member(t).status = Status::Ready;
        for write in members(writes & !seen) {
            let choice = node.execution.events[write].value.map(|value| Choice { value, from: Some(write) });
            let mut reads = reads.clone();
            reads.extend(choice);
            self.step(&node, t, &reads, &[], stack)?;
        }
        Ok(())
    }

    /// Runs thread `t` until its next visible action. If that reads, threads that write come first: then fewer reads are postponed.
    fn advance(
        &mut self,
        mut node: PartialExecution,
        t: usize,
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        if node.members[t].reads_next {
            return self.step(&node, t, &[], &[], stack);
        }
        match self.advance_silently(&mut node, t) {
            Ok(Some(Attempt::Reads(_))) => {
                node.member(t).reads_next = true;
                stack.push(node);
                Ok(())
            }
            Ok(Some(attempt)) => {
                let known = self.refuse_strangers(&node, t);
                let taken = known.and_then(|()| self.take(&node, t, attempt, &[], &[], stack));
                self.or_stuck(taken, &node, t, stack)
            }
            Ok(None) => {
                node.member(t).status = Status::Stuck;
                stack.push(node);
                Ok(())
            }
            // The silent steps so far make no difference to the others.
            Err(why) => self.or_stuck(Err(why), &node, t, stack),
        }
    }

    /// Takes the steps of thread `t` that others cannot notice; returns how its next step goes, or `None` if they do not end.
    fn advance_silently(
        &mut self,
        node: &mut PartialExecution,
        t: usize,
    ) -> Result<Option<Attempt>, Inconclusive> {
        for silent in 0..MAX_SILENT {
            if silent % 1024 == 1023 {
                self.budget.check()?;
            }
            let alone = node.is_alone(t);
            match node.members[t].runner.attempt(self.interp, &self.sharing, &[], &[], alone)? {
                Attempt::Done(taken) if is_silent(&taken) => {
                    let member = node.member(t);
                    member.silent += 1;
                    for effect in &taken.effects {
                        apply_privately(&mut member.runner, effect, &[]);
                    }
                    member.runner.follow(&taken.runner);
                }
                attempt => return Ok(Some(attempt)),
            }
        }
        self.incomplete(Inconclusive::Bound(format!(
            "more than {MAX_SILENT} steps between two shared accesses"
        )));
        Ok(None)
    }

    /// What has no meaning, or reaches a bound, ends its thread; the others go on. Any other reason ends the search.
    fn give_up(&mut self, why: Inconclusive) -> Result<(), Inconclusive> {
        match why {
            Inconclusive::Unsupported(_) | Inconclusive::Bound(_) => {
                self.incomplete(why);
                Ok(())
            }
            why => Err(why),
        }
    }

    /// Takes a step of thread `t`, in all ways that go on from these reads and inputs.
    fn step(
        &mut self,
        node: &PartialExecution,
        t: usize,
        reads: &[Choice],
        inputs: &[u128],
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        let values: Vec<u128> = reads.iter().map(|read| read.value).collect();
        let alone = node.is_alone(t);
        let attempt = self.refuse_strangers(node, t).and_then(|()| {
            node.members[t].runner.attempt(self.interp, &self.sharing, &values, inputs, alone)
        });
        let taken = attempt.and_then(|attempt| self.take(node, t, attempt, reads, inputs, stack));
        self.or_stuck(taken, node, t, stack)
    }

    /// A thread whose step has no meaning, or reaches a bound, stops.
    fn or_stuck(
        &mut self,
        taken: Result<(), Inconclusive>,
        node: &PartialExecution,
        t: usize,
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        taken.or_else(|why| {
            self.give_up(why)?;
            let mut stuck = node.clone();
            stuck.member(t).status = Status::Stuck;
            stack.push(stuck);
            Ok(())
        })
    }

    fn refuse_strangers(&self, node: &PartialExecution, t: usize) -> Result<(), Inconclusive> {
        if !node.is_alone(t) && node.members[t].runner.names_a_stranger(self.interp) {
            return Err(unsupported(
                "joining or detaching a thread that the thread did not know when it was created",
            ));
        }
        Ok(())
    }

    /// Goes on from a step that was attempted.
    fn take(
        &mut self,
        node: &PartialExecution,
        t: usize,
        attempt: Attempt,
        reads: &[Choice],
        inputs: &[u128],
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        match attempt {
            Attempt::Reads(cell) => self.read(node, t, cell, reads, inputs, stack),
            Attempt::Open(width) => {
                if width.bits() > 1 {
                    self.incomplete(unsupported("an input"));
                }
                for value in INPUTS {
                    let inputs: Vec<u128> = inputs.iter().copied().chain([value]).collect();
                    self.step(node, t, reads, &inputs, stack)?;
                }
                Ok(())
            }
            Attempt::Done(taken) => self.commit(node.clone(), t, *taken, reads, inputs, stack),
        }
    }

    /// A read of `cell` needs a value: from every write that is there, from a later one, or by promise.
    fn read(
        &mut self,
        node: &PartialExecution,
        t: usize,
        cell: Cell,
        reads: &[Choice],
        inputs: &[u128],
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        let mut node = node.clone();
        if reads.is_empty() {
            let now = node.members[t].runner.essence(&self.sharing);
            if node.visits(t, &now, self.cut) >= self.most_visits() {
                if self.needs_every_read() {
                    self.incomplete(Inconclusive::Bound(format!("a thread in one state {VISITS} times")));
                }
                if self.property == Property::Robustness {
                    node.member(t).status = Status::Stuck;
                    stack.push(node);
                } else if !self.others_may_write(&node, t, cell) {
                    node.member(t).status = Status::Excluded;
                    stack.push(node);
                }
                return Ok(());
            }
            Arc::make_mut(&mut node.member(t).history).push(now);
        }
        let at = node.cell(cell)?;
        let writes = node.writes(at);
        if !inputs.is_empty() {
            self.incomplete(unsupported("an input and a read of shared memory in one step"));
        } else if self.may_wait(&node, t, cell, writes) {
            let mut waiting = node.clone();
            waiting.member(t).status = Status::Postponed { cell: at, seen: writes, reads: reads.to_vec() };
            stack.push(waiting);
        }
        let mut choices: Vec<Choice> = Vec::new();
        for write in members(writes) {
            match node.execution.events[write].value {
                Some(value) => choices.push(Choice { value, from: Some(write) }),
                None if !self.may_read(&node, t, at, write)? => {}
                None => self.incomplete(unsupported("reading indeterminate memory")),
            }
        }
        choices.extend(self.promises(&node, t, cell));
        for choice in choices {
            let reads: Vec<Choice> = reads.iter().copied().chain([choice]).collect();
            self.step(&node, t, &reads, inputs, stack)?;
        }
        Ok(())
    }

    /// Adds what a step did to the execution.
    fn commit(
        &mut self,
        mut node: PartialExecution,
        t: usize,
        taken: Taken,
        reads: &[Choice],
        inputs: &[u128],
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        if taken.result == StepResult::Blocked {
            return self.block(node, t, reads, stack);
        }
        if !self.goes_on(&taken.result) {
            node.member(t).status = Status::after(&taken.result);
            stack.push(node);
            return Ok(());
        }
        if node.members[t].visible >= self.limit {
            self.was_cut = true;
            self.incomplete(Inconclusive::Bound(format!(
                "more than {} visible steps of a thread",
                self.limit
            )));
            node.member(t).status = Status::Stuck;
            stack.push(node);
            return Ok(());
        }
        node.remember(t, reads, inputs);
        let before = Arc::clone(&node.members[t]);
        node.member(t).runner.follow(&taken.runner);
        let unrolls = matches!(self.cut, Cut::Unrolled(_));
        let cuts_exchanges = self.property != Property::Robustness && !unrolls && self.model.user().is_none();
        let effects =
            Effects { model: self.model, interp: self.interp, before: &before.runner, reads, cuts_exchanges };
        let promised = node.promised.clone();
        let n_events = node.execution.events.len();
        let nodes = effects.apply(node, t, &taken.effects, &self.sharing)?;
        for mut node in nodes {
            let comes_last = self.model.user().is_none() && self.comes_last(&node, n_events, &promised);
            let is_allowed = comes_last || axioms::is_consistent(&node.execution);
            if !is_allowed || !node.promised.is_empty() && node.is_alone(t) {
                continue;
            }
            self.note_written(&node);
            node.conclude(t, &taken.result);
            if self.property == Property::NoDataRace && axioms::c11::has_race(&node.execution) {
                node.violates = true;
            }
            if self.property == Property::Robustness {
                node.violates =
                    node.promised.is_empty() && !comes_last && !axioms::is_sequential(&node.execution);
            }
            if node.violates && node.promised.is_empty() && axioms::is_allowed_at_last(&node.execution) {
                self.findings.violation = Some(node.into_trace(self.property));
                return Ok(());
            }
            stack.push(node);
        }
        Ok(())
    }

    /// Returns true if a step made no promise good, and comes after the events that were there before: then the execution is still allowed.
    fn comes_last(&self, node: &PartialExecution, n_events: usize, promised: &[usize]) -> bool {
        // With the first thread that is created, a new execution begins.
        let goes_on = node.execution.events.len() >= n_events;
        let comes_last = goes_on && node.promised.starts_with(promised) && node.execution.ends_with(n_events);
        debug_assert!(
            !comes_last || !self.findings.nodes.is_multiple_of(16) || axioms::is_consistent(&node.execution),
            "an execution that is allowed should be so with what comes after everything else"
        );
        comes_last
    }

    /// The thread cannot take its step: it waits for another to end, or for a value that it did not read.
    fn block(
        &mut self,
        mut node: PartialExecution,
        t: usize,
        reads: &[Choice],
        stack: &mut Vec<PartialExecution>,
    ) -> Result<(), Inconclusive> {
        if !reads.is_empty() {
            return Ok(());
        }
        let runner = &node.members[t].runner;
        let handle = match runner.action(self.interp) {
            Some(Action::Ops { ops, .. }) => ops.iter().find_map(|op| match op {
                Op::Join { handle, .. } => self.interp.value_of(&runner.state, runner.thread, handle),
                _ => None,
            }),
            _ => None,
        };
        let target = handle.and_then(|handle| self.interp.named(&runner.state, handle));
        node.member(t).status = target.map_or(Status::Stuck, Status::Joining);
        stack.push(node);
        Ok(())
    }

    /// Returns true if a step is part of the execution. One that is not ends its thread; the others go on.
    fn goes_on(&mut self, result: &StepResult) -> bool {
        match result {
            StepResult::Continue | StepResult::Ended => return true,
            StepResult::Violation { property, .. } => return *property == self.property,
            StepResult::Pruned | StepResult::Blocked | StepResult::NoChoice => {}
            StepResult::Undefined(what) => self.incomplete(Inconclusive::Undefined(what.to_string())),
            StepResult::Unsupported(what) => self.incomplete(Inconclusive::Unsupported(what.clone())),
            StepResult::Bound(what) => self.incomplete(Inconclusive::Bound(what.clone())),
        }
        false
    }

    fn incomplete(&mut self, why: Inconclusive) {
        self.findings.incomplete.get_or_insert(why);
    }
}
