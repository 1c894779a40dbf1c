//! Parts of executions: the nodes of the search.

use super::axioms::has_load_buffering;
use super::execution::{Event, Execution, Kind};
use super::relation::{MAX_EVENTS, Set, members};
use base::Inconclusive;
use base::convert::index;
use evidence::{GraphRead, GraphStep, GraphTrace};
use program::interp::{Identity, StepResult, ThreadId};
use program::memory_model::MachineFence;
use program::{MemoryModel, Order, Property};
use semantics::alone::{Cell, Runner, Taint, unsupported};
use std::collections::HashMap;
use std::sync::Arc;

/// Which iterations of loops that wait are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// Those that make no difference.
    NoEffect,
    /// None, until a thread was in one state so often: what leaving them out is tested against.
    Unrolled(usize),
    /// All that lead back to a state, whatever depends on their reads. Wrong where dependencies order accesses: it shows that the test can fail.
    SameState,
    /// Those after which everything depends on reads of the same cells and values, whatever else orders these reads. Wrong, too.
    SameValues,
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Debug)]
pub enum Status {
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
    /// It assumes what does not hold: this is part of no execution. What others do meanwhile may still violate the property before.
    Excluded,
}

impl Status {
    /// What becomes of a thread whose step is no part of the execution.
    pub fn after(result: &StepResult) -> Self {
        if *result == StepResult::Pruned { Self::Excluded } else { Self::Stuck }
    }
}

/// Where a read gets its value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    pub value: u128,
    /// `None` if the value is promised.
    pub from: Option<usize>,
}

#[derive(Clone)]
pub struct Member {
    pub runner: Runner,
    pub status: Status,
    /// The essence of the thread at its reads since it has last written.
    pub history: Arc<Vec<Runner>>,
    /// True if it is known that it reads next.
    pub reads_next: bool,
    /// The steps since the last visible one.
    pub silent: usize,
    /// The steps so far that others can notice.
    pub visible: usize,
}

impl Member {
    /// A thread that is about to begin.
    pub fn new(runner: Runner) -> Self {
        let (status, history) = (Status::Ready, Arc::default());
        Self { runner, status, history, reads_next: false, silent: 0, visible: 0 }
    }
}

impl Member {
    /// Returns true if it has not come to its end, so that the execution is not complete.
    pub fn waits(&self) -> bool {
        matches!(self.status, Status::Postponed { .. } | Status::Joining(_) | Status::Excluded)
    }
}

#[derive(Clone)]
pub struct PartialExecution {
    pub execution: Execution,
    /// Those of earlier times.
    pub earlier: Vec<Arc<Execution>>,
    /// The threads. Of the copies that choices make, each has moved one of them.
    pub members: Vec<Arc<Member>>,
    /// Shared memory when the first thread was created.
    pub initial: Arc<HashMap<Identity, Vec<Option<u8>>>>,
    /// Reads whose values are promised.
    pub promised: Vec<usize>,
    pub violates: bool,
    pub steps: Option<Arc<Link>>,
}

pub struct Link {
    /// How many steps there are, this one included.
    number: usize,
    step: GraphStep,
    previous: Option<Arc<Link>>,
}

impl PartialExecution {
    /// A thread, to be changed.
    pub fn member(&mut self, t: usize) -> &mut Member {
        Arc::make_mut(&mut self.members[t])
    }

    /// How often thread `t` was where it is now since it has last written, where its essence is `now`; where the model orders by dependencies, only if they are the same.
    pub fn visits(&self, t: usize, now: &Runner, cut: Cut) -> usize {
        let model = self.execution.model;
        let depends =
            has_load_buffering(model) || model.user().is_some_and(|user| user.model.facts.dependencies);
        let by_dependencies = depends && matches!(cut, Cut::NoEffect | Cut::SameValues);
        let read = |event: usize| (self.execution.events[event].cell, self.execution.events[event].value);
        let replaces = |old: usize, new: usize| match cut {
            Cut::SameValues => read(old) == read(new),
            _ => self.replaces(old, new),
        };
        let repeats = |earlier: &&Runner| {
            earlier.state == now.state && (!by_dependencies || now.keeps_dependencies(earlier, &replaces))
        };
        self.members[t].history.iter().filter(repeats).count()
    }

    /// Returns true if a later read of a thread, `new`, stands for an earlier one: see [`Runner::keeps_dependencies`].
    fn replaces(&self, old: usize, new: usize) -> bool {
        let Execution { events, before, reads_from, model, .. } = &self.execution;
        if model.user().is_some() {
            return false;
        }
        let (earlier, later) = (&events[old], &events[new]);
        let comes_before = |a: usize, b: usize| before[b] >> a & 1 == 1;
        let is_between = |(n, event): (usize, &Event)| {
            event.kind == Kind::Write
                && event.cell == earlier.cell
                && comes_before(old, n)
                && comes_before(n, new)
        };
        let one_write = reads_from[old].is_some() && reads_from[old] == reads_from[new];
        (earlier.cell, earlier.value) == (later.cell, later.value)
            && earlier.address & !later.address == 0
            && (*model != MemoryModel::Rmo || one_write)
            && !events.iter().enumerate().any(is_between)
    }

    /// Returns true if a promise need not be kept open: the model orders every write of its thread after the read, whatever the thread still does.
    ///
    /// A cycle of program order and reading between threads goes from a read to a later write of the same thread, from there to a read of it, and so on. If the model orders each
    /// such write after its read (and all models order what is read in another thread after what it is read from), the execution is forbidden. So each cycle has a read with a later write
    /// that is not ordered after it; promising these reads only breaks all cycles.
    pub fn has_idle_promise(&self) -> bool {
        self.promised.iter().any(|read| {
            let thread = self.execution.events[*read].thread;
            let events = self.execution.events.iter().enumerate();
            let mut later = events.filter(|(_, event)| event.kind == Kind::Write && event.thread == thread);
            self.orders_what_follows(*read) && later.all(|(write, _)| self.is_ordered(*read, write))
        })
    }

    /// Returns true if all writes that the thread of `read` can still make come after it in every execution.
    fn orders_what_follows(&self, read: usize) -> bool {
        let Execution { events, model, .. } = &self.execution;
        let member = &self.members[events[read].thread];
        let moves = matches!(member.status, Status::Ready | Status::Postponed { .. } | Status::Joining(_));
        let of_thread = events.iter().filter(|event| event.thread == events[read].thread);
        let is_address = |event: &Event| event.address >> read & 1 == 1 && *model != MemoryModel::Rmo;
        !moves
            || member.runner.branches >> read & 1 == 1
            || self.fences_behind(read) != 0
            || model.user().is_none() && of_thread.into_iter().any(is_address)
    }

    /// The fences behind a read that order it before later writes. A user's model need not know any.
    fn fences_behind(&self, read: usize) -> Set {
        if self.execution.model.user().is_some() {
            return 0;
        }
        use MachineFence::{AnyWrite, Full, Light, ReadAny};
        let orders = |kind| matches!(kind, Kind::Fence(Full | Light | ReadAny | AnyWrite));
        let is_behind = |at: usize| self.execution.before[at] >> read & 1 == 1;
        let fences = self.execution.select(|event| orders(event.kind));
        members(fences).filter(|at| is_behind(*at)).fold(0, |set, at| set | 1 << at)
    }

    /// Returns true if a write of the same thread does not come after a read in program order, or is ordered after it.
    fn is_ordered(&self, read: usize, write: usize) -> bool {
        let (event, before) = (&self.execution.events[write], self.execution.before[write]);
        let depends = (event.address | event.data | event.control) >> read & 1 == 1;
        before >> read & 1 == 0 || depends || before & self.fences_behind(read) != 0
    }

    /// Returns true if a postponed read of `t` has not seen all writes.
    pub fn has_news(&self, t: usize) -> bool {
        match &self.members[t].status {
            Status::Postponed { cell, seen, .. } => self.writes(*cell) & !seen != 0,
            _ => false,
        }
    }

    /// The result of a thread that has ended.
    pub fn result_of(&self, thread: ThreadId) -> Option<Option<u128>> {
        self.members.iter().find(|m| m.runner.thread == thread).and_then(|m| match m.status {
            Status::Finished(result) => Some(result),
            _ => None,
        })
    }

    /// Returns true if all other threads were joined.
    pub fn is_alone(&self, t: usize) -> bool {
        self.members.iter().enumerate().all(|(n, m)| n == t || m.status == Status::Joined)
    }

    /// The threads that may take another step.
    pub fn moving(&self) -> impl Iterator<Item = usize> {
        let moves =
            |m: &Member| matches!(m.status, Status::Ready | Status::Postponed { .. } | Status::Joining(_));
        self.members.iter().enumerate().filter(move |(_, m)| moves(m)).map(|(n, _)| n)
    }

    pub fn others_may_move(&self, t: usize) -> bool {
        self.moving().any(|n| n != t)
    }

    pub fn writes(&self, cell: usize) -> Set {
        self.execution.coherence[cell].iter().fold(0, |set, write| set | 1 << write)
    }

    /// What the end of a step means for its thread.
    pub fn conclude(&mut self, t: usize, result: &StepResult) {
        let member = Arc::make_mut(&mut self.members[t]);
        match result {
            StepResult::Violation { .. } => {
                member.status = Status::Stuck;
                self.violates = true;
            }
            // The program has ended: this thread is never joined. What the others do came before.
            StepResult::Ended => member.status = Status::Stuck,
            _ => {
                let thread = member.runner.state.thread(member.runner.thread);
                if let Some(program::interp::Status::Finished(value)) = thread.map(|thread| thread.status()) {
                    member.status = Status::Finished(value);
                }
            }
        }
    }

    pub fn remember(&mut self, t: usize, reads: &[Choice], inputs: &[u128]) {
        let member = self.member(t);
        let silent = std::mem::take(&mut member.silent);
        member.reads_next = false;
        member.visible += 1;
        let reads = reads.iter().map(|read| GraphRead { value: read.value, from: None }).collect();
        let step = GraphStep { thread: t, silent, reads, inputs: inputs.to_vec() };
        let number = self.n_steps() + 1;
        self.steps = Some(Arc::new(Link { number, step, previous: self.steps.take() }));
    }

    pub fn n_steps(&self) -> usize {
        self.steps.as_ref().map_or(0, |link| link.number)
    }

    /// The position of a cell; its initial value becomes an event when it is first accessed.
    pub fn cell(&mut self, cell: Cell) -> Result<usize, Inconclusive> {
        if let Some(at) = self.execution.cells.iter().position(|known| *known == cell) {
            return Ok(at);
        }
        if self.execution.cells.iter().any(|known| known.overlaps(&cell)) {
            return Err(unsupported("accesses of different sizes to the same memory"));
        }
        let bytes = self.initial.get(&cell.object);
        let value = bytes.and_then(|bytes| {
            let (from, len) = (index(cell.offset), index(cell.width.bytes()));
            let bytes = bytes.get(from..from + len)?.iter().rev();
            bytes.copied().try_fold(0, |sum: u128, byte| Some(sum << 8 | u128::from(byte?)))
        });
        let at = self.execution.cells.len();
        Arc::make_mut(&mut self.execution.cells).push(cell);
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
        self.execution.coherence.push(Arc::new(vec![event]));
        Ok(at)
    }

    pub fn add(&mut self, event: Event, before: Set) -> Result<usize, Inconclusive> {
        if self.execution.events.len() >= MAX_EVENTS {
            return Err(Inconclusive::Bound(format!("more than {MAX_EVENTS} events")));
        }
        Ok(self.execution.add(event, before))
    }

    /// The execution with one read more: the next one of thread `t`, whose address depends on `address`, returns the indeterminate value of a cell.
    pub fn reading_nothing(
        &self,
        t: usize,
        cell: usize,
        write: usize,
        address: Taint,
    ) -> Result<Execution, Inconclusive> {
        let mut node = self.clone();
        let runner = &node.members[t].runner;
        let (before, control) = (runner.before, runner.branches | address.control);
        let read = Event {
            thread: t,
            origin: None,
            step: node.n_steps(),
            kind: Kind::Read,
            cell,
            value: None,
            order: Order::Plain,
            address: address.data,
            data: 0,
            control,
            atomic: false,
            read_part: None,
        };
        let read = node.add(read, before)?;
        node.execution.reads_from[read] = Some(write);
        Ok(node.execution)
    }

    pub fn into_trace(self, property: Property) -> GraphTrace {
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
