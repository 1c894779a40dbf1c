//! The search: all executions, each of them once.
//!
//! Threads are run one after the other, the first that can move. A write is put at every place of its cell's coherence order; a read takes its
//! value from a write that is there, or is *postponed* until another thread has made a new one. So each execution in which no read depends on itself is
//! built in exactly one way: of every read, it is known whether its write was there when the read was first met.
//!
//! Models with load buffering have executions that cannot be built in this way, because a read returns what is written after it in its own thread's
//! order, through others. There a read may also be *promised* a value, which a write that it causes has to make good. The values are those
//! that have been written to the cell so far in the whole search, which is therefore repeated until there are no new ones: the number of
//! rounds bounds the length of a chain of promises, and there is no chain out of thin air in any of the models.
//!
//! # What is left out
//! - A thread that comes back to a state without having written since repeats itself: such an execution exists without the iteration, too. So waiting
//!   for a flag costs one read.
//! - While a thread is the only one, memory is what it is, and there are no events. After all others were joined, every cell has the last
//!   value of its coherence order: they happen before, so that nothing older can be read.

use super::axioms::{self, has_load_buffering};
use super::execution::{Event, Execution, Kind};
use super::relation::{MAX_EVENTS, Set, members};

use base::{Budget, Inconclusive};
use evidence::{GraphRead, GraphStep, GraphTrace};
use program::interp::{Identity, Interp, State, StepResult, ThreadId};
use program::memory_model::{Compiled, Fencing, MachineFence, ReadModifyWrite};
use program::{Action, MemoryModel, Op, Order, Property};
use semantics::alone::{Attempt, Cell, Effect, Runner, Sharing, Taken, unsupported};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Local actions that a thread takes between two events at most.
const MAX_SILENT: usize = 1_000_000;

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
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Debug)]
enum Status {
    Ready,
    /// A write of this cell other than those; the step's reads so far have these values.
    Postponed {
        cell: usize,
        seen: Set,
        reads: Vec<Choice>,
    },
    Joining(ThreadId),
    Finished(Option<u128>),
    /// It has ended and is forgotten.
    Joined,
    /// It will not move again.
    Stuck,
}

/// Where a read gets its value.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Choice {
    value: u128,
    /// `None` if the value is promised.
    from: Option<usize>,
}

#[derive(Clone)]
struct Member {
    runner: Runner,
    status: Status,
    /// Its states at reads since it has last written.
    history: Arc<Vec<State>>,
    /// The steps since the last that others can notice.
    silent: usize,
}

#[derive(Clone)]
struct Node {
    execution: Execution,
    /// Those of earlier times.
    earlier: Vec<Arc<Execution>>,
    members: Vec<Member>,
    /// Shared memory when the first thread was created.
    initial: Arc<HashMap<Identity, Vec<Option<u8>>>>,
    /// Reads whose values are promised.
    promised: Vec<usize>,
    violates: bool,
    steps: Option<Arc<Link>>,
}

struct Link {
    /// How many steps there are, this one included.
    number: usize,
    step: GraphStep,
    previous: Option<Arc<Link>>,
}

/// Explores the executions of a program.
pub struct Search<'a, 'p> {
    interp: &'a Interp<'p>,
    sharing: Sharing<'a, 'p>,
    model: MemoryModel,
    property: Property,
    budget: &'a Budget,
    /// The values that were written to each cell so far; only for models with load buffering.
    written: BTreeMap<(Identity, u64), BTreeSet<u128>>,
    findings: Findings,
}

impl<'a, 'p> Search<'a, 'p> {
    /// A search for violations of `property` under `model`.
    pub fn new(
        interp: &'a Interp<'p>,
        sharing: Sharing<'a, 'p>,
        model: MemoryModel,
        property: Property,
        budget: &'a Budget,
    ) -> Self {
        let (written, findings) = (BTreeMap::new(), Findings::default());
        Self { interp, sharing, model, property, budget, written, findings }
    }

    /// Explores until there is a violation, or everything was seen.
    pub fn run(mut self) -> Result<Findings, Inconclusive> {
        loop {
            let known = self.written.clone();
            self.findings.executions = 0;
            self.round()?;
            if self.findings.violation.is_some() || known == self.written {
                return Ok(self.findings);
            }
        }
    }

    fn round(&mut self) -> Result<(), Inconclusive> {
        let main = Runner::new(ThreadId::MAIN, self.interp.initial(), 0, 0);
        let members =
            vec![Member { runner: main, status: Status::Ready, history: Arc::default(), silent: 0 }];
        let execution = Execution::new(self.model);
        let root = Node {
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
            if self.findings.nodes % 64 == 0 {
                self.budget.check()?;
            }
            self.expand(node, &mut stack)?;
            if self.findings.violation.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn expand(&mut self, mut node: Node, stack: &mut Vec<Node>) -> Result<(), Inconclusive> {
        if let Some(t) = (0..node.members.len()).find(|t| node.has_news(*t)) {
            return self.resume(node, t, stack);
        }
        for member in 0..node.members.len() {
            if let Status::Joining(target) = node.members[member].status
                && let Some(result) = node.result_of(target)
            {
                let waiting = &mut node.members[member];
                self.interp.finish_elsewhere(&mut waiting.runner.state, target, result);
                waiting.status = Status::Ready;
            }
        }
        match node.members.iter().position(|m| m.status == Status::Ready) {
            Some(t) => self.advance(node, t, stack),
            None => {
                let waits = |m: &Member| matches!(m.status, Status::Postponed { .. } | Status::Joining(_));
                if !node.members.iter().any(waits) && node.promised.is_empty() {
                    self.findings.executions += 1;
                }
                Ok(())
            }
        }
    }

    /// A postponed read sees new writes: it takes one of them, or goes on waiting.
    fn resume(&mut self, mut node: Node, t: usize, stack: &mut Vec<Node>) -> Result<(), Inconclusive> {
        let Status::Postponed { cell, seen, reads } = node.members[t].status.clone() else {
            unreachable!("only a postponed read has news")
        };
        let writes = node.writes(cell);
        node.members[t].status = Status::Postponed { cell, seen: writes, reads: reads.clone() };
        stack.push(node.clone());
        node.members[t].status = Status::Ready;
        for write in members(writes & !seen) {
            let choice = node.execution.events[write].value.map(|value| Choice { value, from: Some(write) });
            let mut reads = reads.clone();
            reads.extend(choice);
            self.step(&node, t, &reads, &[], stack)?;
        }
        Ok(())
    }

    /// Runs thread `t` until it does something that others can notice.
    fn advance(&mut self, mut node: Node, t: usize, stack: &mut Vec<Node>) -> Result<(), Inconclusive> {
        for silent in 0..MAX_SILENT {
            if silent % 1024 == 1023 {
                self.budget.check()?;
            }
            let alone = node.is_alone(t);
            match node.members[t].runner.attempt(self.interp, &self.sharing, &[], &[], alone)? {
                Attempt::Done(taken) if is_silent(&taken) => {
                    node.members[t].silent += 1;
                    for effect in &taken.effects {
                        apply_privately(&mut node.members[t].runner, effect, &[]);
                    }
                    node.members[t].runner.follow(&taken.runner);
                }
                _ => return self.step(&node, t, &[], &[], stack),
            }
        }
        self.incomplete(Inconclusive::Bound(format!(
            "more than {MAX_SILENT} steps between two shared accesses"
        )));
        Ok(())
    }

    /// Takes a step of thread `t`, in all ways that go on from these reads and inputs.
    fn step(
        &mut self,
        node: &Node,
        t: usize,
        reads: &[Choice],
        inputs: &[u128],
        stack: &mut Vec<Node>,
    ) -> Result<(), Inconclusive> {
        let values: Vec<u128> = reads.iter().map(|read| read.value).collect();
        let alone = node.is_alone(t);
        match node.members[t].runner.attempt(self.interp, &self.sharing, &values, inputs, alone)? {
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
        node: &Node,
        t: usize,
        cell: Cell,
        reads: &[Choice],
        inputs: &[u128],
        stack: &mut Vec<Node>,
    ) -> Result<(), Inconclusive> {
        let mut node = node.clone();
        let member = &mut node.members[t];
        if reads.is_empty() {
            if member.history.contains(&member.runner.state) {
                return Ok(());
            }
            Arc::make_mut(&mut member.history).push(member.runner.state.clone());
        }
        let at = node.cell(cell)?;
        let writes = node.writes(at);
        if inputs.is_empty() && node.others_may_move(t) {
            let mut waiting = node.clone();
            waiting.members[t].status = Status::Postponed { cell: at, seen: writes, reads: reads.to_vec() };
            stack.push(waiting);
        }
        let mut choices: Vec<Choice> = Vec::new();
        for write in members(writes) {
            match node.execution.events[write].value {
                Some(value) => choices.push(Choice { value, from: Some(write) }),
                None => self.incomplete(unsupported("reading indeterminate memory")),
            }
        }
        if has_load_buffering(self.model) && node.others_may_move(t) {
            let values = self.written.get(&(cell.object, cell.offset)).into_iter().flatten();
            choices.extend(values.map(|value| Choice { value: *value, from: None }));
        }
        for choice in choices {
            let reads: Vec<Choice> = reads.iter().copied().chain([choice]).collect();
            self.step(&node, t, &reads, inputs, stack)?;
        }
        Ok(())
    }

    /// Adds what a step did to the execution.
    fn commit(
        &mut self,
        mut node: Node,
        t: usize,
        taken: Taken,
        reads: &[Choice],
        inputs: &[u128],
        stack: &mut Vec<Node>,
    ) -> Result<(), Inconclusive> {
        if taken.result == StepResult::Blocked {
            return self.block(node, t, reads, stack);
        }
        if !self.goes_on(&taken.result) {
            node.members[t].status = Status::Stuck;
            stack.push(node);
            return Ok(());
        }
        node.remember(t, reads, inputs);
        let before = node.members[t].runner.clone();
        node.members[t].runner.follow(&taken.runner);
        let effects = Effects { model: self.model, interp: self.interp, before: &before, reads };
        let nodes = effects.apply(node, t, &taken.effects, &self.sharing)?;
        for mut node in nodes {
            if !axioms::is_consistent(&node.execution) || !node.promised.is_empty() && node.is_alone(t) {
                continue;
            }
            self.note_written(&node);
            node.conclude(t, &taken.result);
            if self.property == Property::NoDataRace && axioms::c11::has_race(&node.execution) {
                node.violates = true;
            }
            if node.violates && node.promised.is_empty() {
                self.findings.violation = Some(node.into_trace(self.property));
                return Ok(());
            }
            stack.push(node);
        }
        Ok(())
    }

    /// The thread cannot take its step: it waits for another to end, or for a value that it did not read.
    fn block(
        &mut self,
        mut node: Node,
        t: usize,
        reads: &[Choice],
        stack: &mut Vec<Node>,
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
        node.members[t].status = target.map_or(Status::Stuck, Status::Joining);
        stack.push(node);
        Ok(())
    }

    /// Takes note of the values that can be promised: those of executions without open promises.
    fn note_written(&mut self, node: &Node) {
        if !has_load_buffering(self.model) || !node.promised.is_empty() {
            return;
        }
        for event in node.execution.events.iter().filter(|event| event.kind == Kind::Write) {
            let cell = node.execution.cells[event.cell];
            self.written.entry((cell.object, cell.offset)).or_default().extend(event.value);
        }
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

/// Returns true if nobody else can notice a step, and it goes on.
fn is_silent(taken: &Taken) -> bool {
    taken.result == StepResult::Continue
        && taken.effects.iter().all(|effect| {
            matches!(effect, Effect::Assign(..) | Effect::Branch(_) | Effect::Call(_) | Effect::Return(..))
        })
        && taken.runner.state.thread(taken.runner.thread).is_some_and(|thread| !thread.is_finished())
}

/// Follows dependencies through what only the thread itself sees.
fn apply_privately(runner: &mut Runner, effect: &Effect, events: &[usize]) {
    match effect {
        Effect::Assign(target, sources) => runner.assign(*target, sources.resolve(events)),
        Effect::Branch(sources) => {
            let taint = sources.resolve(events);
            runner.branches |= taint.data | taint.control;
        }
        Effect::Call(arguments) => {
            runner.enter(arguments.iter().map(|(var, sources)| (*var, sources.resolve(events))));
        }
        Effect::Return(var, sources) => runner.leave(*var, sources.resolve(events)),
        Effect::Read { .. }
        | Effect::Write { .. }
        | Effect::Fence(_)
        | Effect::Start(_)
        | Effect::Join(_)
        | Effect::Allocate(..) => {}
    }
}

impl Node {
    /// Returns true if a postponed read of `t` has not seen all writes.
    fn has_news(&self, t: usize) -> bool {
        match &self.members[t].status {
            Status::Postponed { cell, seen, .. } => self.writes(*cell) & !seen != 0,
            _ => false,
        }
    }

    /// The result of a thread that has ended.
    fn result_of(&self, thread: ThreadId) -> Option<Option<u128>> {
        self.members.iter().find(|m| m.runner.thread == thread).and_then(|m| match m.status {
            Status::Finished(result) => Some(result),
            _ => None,
        })
    }

    /// Returns true if all other threads were joined.
    fn is_alone(&self, t: usize) -> bool {
        self.members.iter().enumerate().all(|(n, m)| n == t || m.status == Status::Joined)
    }

    fn others_may_move(&self, t: usize) -> bool {
        let moves =
            |m: &Member| matches!(m.status, Status::Ready | Status::Postponed { .. } | Status::Joining(_));
        self.members.iter().enumerate().any(|(n, m)| n != t && moves(m))
    }

    fn writes(&self, cell: usize) -> Set {
        self.execution.coherence[cell].iter().fold(0, |set, write| set | 1 << write)
    }

    /// What the end of a step means for its thread.
    fn conclude(&mut self, t: usize, result: &StepResult) {
        let member = &mut self.members[t];
        match result {
            StepResult::Violation { .. } => {
                member.status = Status::Stuck;
                self.violates = true;
            }
            StepResult::Ended => member.status = Status::Finished(None),
            _ => {
                let thread = member.runner.state.thread(member.runner.thread);
                if let Some(program::interp::Status::Finished(value)) = thread.map(|thread| thread.status()) {
                    member.status = Status::Finished(value);
                }
            }
        }
    }

    fn remember(&mut self, t: usize, reads: &[Choice], inputs: &[u128]) {
        let silent = std::mem::take(&mut self.members[t].silent);
        let reads = reads.iter().map(|read| GraphRead { value: read.value, from: None }).collect();
        let step = GraphStep { thread: t, silent, reads, inputs: inputs.to_vec() };
        let number = self.n_steps() + 1;
        self.steps = Some(Arc::new(Link { number, step, previous: self.steps.take() }));
    }

    fn n_steps(&self) -> usize {
        self.steps.as_ref().map_or(0, |link| link.number)
    }

    /// The position of a cell; its initial value becomes an event when it is first accessed.
    fn cell(&mut self, cell: Cell) -> Result<usize, Inconclusive> {
        if let Some(at) = self.execution.cells.iter().position(|known| *known == cell) {
            return Ok(at);
        }
        if self.execution.cells.iter().any(|known| known.overlaps(&cell)) {
            return Err(unsupported("accesses of different sizes to the same memory"));
        }
        let bytes = self.initial.get(&cell.object);
        let value = bytes.and_then(|bytes| {
            let (from, len) = (cell.offset as usize, cell.width.bytes() as usize);
            let bytes = bytes.get(from..from + len)?.iter().rev();
            bytes.copied().try_fold(0, |sum: u128, byte| Some(sum << 8 | u128::from(byte?)))
        });
        let at = self.execution.cells.len();
        self.execution.cells.push(cell);
        let event = Event {
            thread: 0,
            origin: None,
            step: 0,
            kind: Kind::Initial,
            cell: at,
            value,
            order: Order::Plain,
            address: 0,
            data: 0,
            control: 0,
            atomic: false,
            read_part: None,
        };
        let event = self.add(event, 0)?;
        self.execution.coherence.push(vec![event]);
        Ok(at)
    }

    fn add(&mut self, event: Event, before: Set) -> Result<usize, Inconclusive> {
        if self.execution.events.len() >= MAX_EVENTS {
            return Err(Inconclusive::Bound(format!("more than {MAX_EVENTS} events")));
        }
        Ok(self.execution.add(event, before))
    }

    fn into_trace(self, property: Property) -> GraphTrace {
        let mut steps = Vec::new();
        let mut link = self.steps.as_deref();
        while let Some(Link { step, previous, .. }) = link {
            steps.push(step.clone());
            link = previous.as_deref();
        }
        steps.reverse();
        let model = self.execution.model;
        let earlier = self.earlier.iter().map(|execution| &**execution);
        let mut coherence = Vec::new();
        for execution in earlier.chain([&self.execution]) {
            settle(execution, &mut steps);
            let step = |write: &usize| execution.events[*write].step;
            coherence.extend(
                execution.coherence.iter().map(|order| order[1..].iter().map(step).collect::<Vec<_>>()),
            );
        }
        coherence.retain(|order| order.len() > 1);
        GraphTrace { property, model, steps, coherence }
    }
}

/// Says of every read where its value comes from.
fn settle(execution: &Execution, steps: &mut [GraphStep]) {
    let mut reads_of_step: HashMap<usize, usize> = HashMap::new();
    for (at, event) in execution.events.iter().enumerate().filter(|(_, event)| event.kind == Kind::Read) {
        let n = reads_of_step.entry(event.step).or_default();
        let write = execution.reads_from[at].map(|write| &execution.events[write]);
        steps[event.step].reads[*n].from =
            write.filter(|write| write.kind == Kind::Write).map(|write| write.step);
        *n += 1;
    }
}

/// Adds the effects of one step to an execution.
struct Effects<'a, 'p> {
    model: MemoryModel,
    interp: &'a Interp<'p>,
    /// The thread before the step.
    before: &'a Runner,
    reads: &'a [Choice],
}

/// A partly applied step.
struct Partial {
    node: Node,
    /// The events of its reads.
    events: Vec<usize>,
}

impl Effects<'_, '_> {
    fn apply(
        &self,
        node: Node,
        t: usize,
        effects: &[Effect],
        sharing: &Sharing<'_, '_>,
    ) -> Result<Vec<Node>, Inconclusive> {
        let action = self.before.action(self.interp);
        let rmw = match action {
            Some(Action::Ops { ops, .. }) => ReadModifyWrite::of(ops),
            _ => None,
        };
        let cells: BTreeSet<(Identity, u64)> =
            effects.iter().filter_map(accessed).map(|c| (c.object, c.offset)).collect();
        let writes = effects.iter().any(|effect| matches!(effect, Effect::Write { .. }));
        if cells.len() > 1 && writes {
            return Err(unsupported("an atomic step that accesses several shared cells"));
        }
        let compiled = rmw.filter(|_| !cells.is_empty()).map(|rmw| {
            // On Power the fences stand around the loop of `lwarx` and `stwcx`, however it ends.
            let fails = !writes && self.model != MemoryModel::Power;
            self.model.compiled_read_modify_write(if fails { rmw.failure } else { rmw.order })
        });
        let mut partials = vec![Partial { node, events: Vec::new() }];
        if let Some(fence) = compiled.and_then(|c| c.before) {
            self.fence(&mut partials, t, Kind::Fence(fence))?;
        }
        for effect in effects {
            let mut next = Vec::new();
            for partial in partials {
                self.effect(partial, t, effect, compiled, sharing, &mut next)?;
            }
            partials = next;
        }
        if let Some(fence) = compiled.and_then(|c| c.after) {
            for partial in &mut partials {
                let read = partial.events.last().copied();
                partial.node.members[t].runner.branches |= read.map_or(0, |read| 1 << read);
            }
            self.fence(&mut partials, t, Kind::Fence(fence))?;
        }
        Ok(partials.into_iter().map(|partial| partial.node).collect())
    }

    fn effect(
        &self,
        mut partial: Partial,
        t: usize,
        effect: &Effect,
        rmw: Option<Compiled>,
        sharing: &Sharing<'_, '_>,
        out: &mut Vec<Partial>,
    ) -> Result<(), Inconclusive> {
        let node = &mut partial.node;
        match effect {
            Effect::Read { cell, value, order, address } => {
                let compiled = rmw.unwrap_or_else(|| self.model.compiled_load(*order));
                let around = |fence| if rmw.is_none() { fence } else { None };
                if let Some(fence) = around(compiled.before) {
                    self.event(node, t, Kind::Fence(fence), None, Order::Plain)?;
                }
                let at = node.cell(*cell)?;
                let event = self.event(node, t, Kind::Read, Some((at, *value)), compiled.order)?;
                let address = address.resolve(&partial.events);
                node.execution.events[event].address = address.data;
                node.execution.events[event].control |= address.control;
                node.execution.events[event].atomic = rmw.is_some();
                let choice = self.reads.get(partial.events.len());
                node.execution.reads_from[event] = choice.and_then(|choice| choice.from);
                if choice.is_some_and(|choice| choice.from.is_none()) {
                    node.promised.push(event);
                }
                partial.events.push(event);
                if let Some(fence) = around(compiled.after) {
                    node.members[t].runner.branches |= 1 << event;
                    self.event(node, t, Kind::Fence(fence), None, Order::Plain)?;
                }
                out.push(partial);
            }
            Effect::Write { cell, value, order, address, data } => {
                let compiled = rmw.unwrap_or_else(|| self.model.compiled_store(*order));
                if let (Some(fence), None) = (compiled.before, rmw) {
                    self.event(node, t, Kind::Fence(fence), None, Order::Plain)?;
                }
                let at = node.cell(*cell)?;
                let event = self.event(node, t, Kind::Write, Some((at, *value)), compiled.order)?;
                let (address, data) = (address.resolve(&partial.events), data.resolve(&partial.events));
                let written = &mut node.execution.events[event];
                (written.address, written.data) = (address.data, data.data);
                written.control |= address.control | data.control;
                written.atomic = rmw.is_some();
                written.read_part = partial.events.last().copied().filter(|_| rmw.is_some());
                node.members[t].history = Arc::default();
                self.place(partial, event, at, out);
            }
            Effect::Fence(barrier) => {
                let kind = match self.model {
                    MemoryModel::C11 => Some(Kind::Barrier(*barrier)),
                    MemoryModel::Pso if self.model.fence(*barrier) == Fencing::Mark => {
                        Some(Kind::Fence(MachineFence::Light))
                    }
                    model => model.compiled_fence(*barrier).map(Kind::Fence),
                };
                if let Some(kind) = kind {
                    self.event(node, t, kind, None, Order::Plain)?;
                }
                out.push(partial);
            }
            Effect::Start(thread) => {
                self.start(node, t, *thread, sharing)?;
                out.push(partial);
            }
            Effect::Join(thread) => {
                self.join(node, t, *thread)?;
                out.push(partial);
            }
            Effect::Allocate(object, size) => {
                if sharing.is_shared(*object) && node.members.len() > 1 {
                    for (n, member) in node.members.iter_mut().enumerate() {
                        if n != t {
                            self.interp.introduce(&mut member.runner.state, *object, *size)?;
                        }
                    }
                }
                out.push(partial);
            }
            Effect::Assign(..) | Effect::Branch(_) | Effect::Call(_) | Effect::Return(..) => {
                apply_privately(&mut node.members[t].runner, effect, &partial.events);
                out.push(partial);
            }
        }
        Ok(())
    }

    /// Puts a write at every place of its cell's coherence order, and lets it make promises good.
    fn place(&self, partial: Partial, event: usize, cell: usize, out: &mut Vec<Partial>) {
        let execution = &partial.node.execution;
        let order = &execution.coherence[cell];
        let read_part = execution.events[event].read_part;
        let behind = read_part.and_then(|read| execution.reads_from[read]);
        let positions: Vec<usize> = match behind {
            Some(write) => order.iter().position(|w| *w == write).map(|at| at + 1).into_iter().collect(),
            None => (1..=order.len()).collect(),
        };
        let causes = execution.causes(event);
        let value = execution.events[event].value;
        let is_good = |read: &usize| {
            let promise = &execution.events[*read];
            promise.cell == cell && promise.value == value && causes >> read & 1 == 1
        };
        let promised: Vec<usize> = partial.node.promised.iter().copied().filter(is_good).collect();
        for position in positions {
            for kept in 0..1u32 << promised.len().min(16) {
                let mut node = partial.node.clone();
                node.execution.coherence[cell].insert(position, event);
                for (n, read) in promised.iter().enumerate() {
                    if kept >> n & 1 == 1 {
                        node.execution.reads_from[*read] = Some(event);
                        node.promised.retain(|promise| promise != read);
                    }
                }
                out.push(Partial { node, events: partial.events.clone() });
            }
        }
    }

    fn fence(&self, partials: &mut [Partial], t: usize, kind: Kind) -> Result<(), Inconclusive> {
        for partial in partials {
            self.event(&mut partial.node, t, kind, None, Order::Plain)?;
        }
        Ok(())
    }

    /// Adds an event of thread `t`.
    fn event(
        &self,
        node: &mut Node,
        t: usize,
        kind: Kind,
        access: Option<(usize, u128)>,
        order: Order,
    ) -> Result<usize, Inconclusive> {
        let runner = &node.members[t].runner;
        let (before, control) = (runner.before, runner.branches);
        let origin = self.interp.position(&self.before.state, self.before.thread).map(|p| (p.func, p.loc));
        let event = Event {
            thread: t,
            origin,
            step: node.n_steps() - 1,
            kind,
            cell: access.map_or(0, |(cell, _)| cell),
            value: access.map(|(_, value)| value),
            order,
            address: 0,
            data: 0,
            control,
            atomic: false,
            read_part: None,
        };
        let at = node.add(event, before)?;
        node.members[t].runner.before |= 1 << at;
        Ok(at)
    }

    /// Creating and joining a thread orders everything.
    fn synchronise(&self, node: &mut Node, t: usize) -> Result<(), Inconclusive> {
        if !matches!(self.model, MemoryModel::C11 | MemoryModel::Sc) {
            self.event(node, t, Kind::Fence(MachineFence::Full), None, Order::Plain)?;
        }
        Ok(())
    }

    fn start(
        &self,
        node: &mut Node,
        t: usize,
        thread: ThreadId,
        sharing: &Sharing<'_, '_>,
    ) -> Result<(), Inconclusive> {
        if node.members[t].runner.thread != ThreadId::MAIN {
            return Err(unsupported("a thread that another thread than the first creates"));
        }
        if node.is_alone(t) {
            self.begin_phase(node, t, sharing);
        }
        self.synchronise(node, t)?;
        let parent = &node.members[t].runner;
        let child = Runner::new(thread, parent.state.clone(), parent.before, parent.branches);
        node.members.push(Member {
            runner: child,
            status: Status::Ready,
            history: Arc::default(),
            silent: 0,
        });
        Ok(())
    }

    /// The first thread is created: from now on, shared memory is unknown.
    fn begin_phase(&self, node: &mut Node, t: usize, sharing: &Sharing<'_, '_>) {
        let state = &mut node.members[t].runner.state;
        let mut initial = HashMap::new();
        for object in self.interp.objects(state) {
            if sharing.is_shared(object)
                && let Some(bytes) = self.interp.bytes(state, object)
            {
                initial.insert(object, bytes);
                self.interp.forget_bytes(state, object);
            }
        }
        node.initial = Arc::new(initial);
        let earlier = std::mem::replace(&mut node.execution, Execution::new(self.model));
        if !earlier.events.is_empty() {
            node.earlier.push(Arc::new(earlier));
        }
        node.members[t].runner.forget_dependencies();
    }

    fn join(&self, node: &mut Node, t: usize, thread: ThreadId) -> Result<(), Inconclusive> {
        let joined = node
            .members
            .iter()
            .position(|m| m.runner.thread == thread)
            .expect("a joined thread should be known");
        node.members[joined].status = Status::Joined;
        node.members[t].runner.before |= node.members[joined].runner.before;
        self.synchronise(node, t)?;
        if node.is_alone(t) && node.promised.is_empty() {
            let state = &mut node.members[t].runner.state;
            for (object, bytes) in node.initial.iter() {
                self.interp.set_bytes(state, *object, 0, bytes);
            }
            for (cell, order) in node.execution.cells.iter().zip(&node.execution.coherence) {
                let last = order.last().expect("a cell should have an initial value");
                let value = node.execution.events[*last].value;
                let byte = |n: u64| value.map(|value| (value >> (8 * n)) as u8);
                let bytes: Vec<Option<u8>> = (0..cell.width.bytes()).map(byte).collect();
                self.interp.set_bytes(state, cell.object, cell.offset, &bytes);
            }
        }
        Ok(())
    }
}

fn accessed(effect: &Effect) -> Option<Cell> {
    match effect {
        Effect::Read { cell, .. } | Effect::Write { cell, .. } => Some(*cell),
        _ => None,
    }
}
