//! A candidate execution: events of threads that were run alone, and the relations that a model is asked about.

mod environment;

use base::Inconclusive;
use base::convert::{index, low8};
use program::interp::{Identity, Interp, ThreadId};
use program::memory_model::{Barrier, Compiled, Fencing, MachineFence, ReadModifyWrite};
use program::{Action, MemoryModel, Op, Order};
use semantics::alone::{Attempt, Cell, Effect, Runner, Sharing, Taken, unsupported};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The most events that a row of bits has room for.
const MAX_EVENTS: usize = 128;

#[derive(Clone, Copy, PartialEq)]
enum What {
    Initial,
    Read,
    Write,
    Machine(MachineFence),
    Language(Barrier),
}

#[derive(Clone, Copy)]
struct Event {
    thread: Option<usize>,
    what: What,
    cell: Option<Cell>,
    /// The event of the cell's initial value.
    initial: Option<usize>,
    value: Option<u128>,
    order: Order,
    exclusive: bool,
    before: u128,
    address: u128,
    data: u128,
    control: u128,
    read_part: Option<usize>,
}

/// A thread of an execution.
#[derive(Clone)]
pub struct Member {
    /// The thread.
    pub runner: Runner,
    /// Its result, once it has ended.
    pub ended: Option<Option<u128>>,
    /// True if it was joined.
    pub joined: bool,
}

/// Where reads read from. Executions are copied for every choice, so that this is a row of numbers and no tree.
#[derive(Clone, Default)]
pub struct Sources(Vec<Option<usize>>);

impl Sources {
    /// A read reads from a write.
    pub fn insert(&mut self, read: usize, write: usize) {
        if self.0.len() <= read {
            self.0.resize(read + 1, None);
        }
        self.0[read] = Some(write);
    }

    /// The write that an event reads from, if it is a read and settled.
    pub fn get(&self, read: usize) -> Option<usize> {
        self.0.get(read).copied().flatten()
    }

    /// The settled reads with their writes.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.iter().enumerate().filter_map(|(read, write)| Some((read, (*write)?)))
    }
}

/// A part of an execution.
#[derive(Clone)]
pub struct Candidate<'i, 'p> {
    interp: &'i Interp<'p>,
    sharing: &'i Sharing<'i, 'p>,
    model: MemoryModel,
    /// The threads, in the order of creation.
    pub members: Vec<Arc<Member>>,
    events: Vec<Event>,
    /// The write that each read reads from; a read without one is not settled.
    pub sources: Sources,
    /// The writes of each cell in coherence order, the initial one first.
    pub coherence: BTreeMap<(Identity, u64), Arc<Vec<usize>>>,
    initial: Arc<HashMap<Identity, Vec<Option<u8>>>>,
}

impl<'i, 'p> Candidate<'i, 'p> {
    /// The beginning of the program.
    pub fn new(interp: &'i Interp<'p>, sharing: &'i Sharing<'i, 'p>, model: MemoryModel) -> Self {
        let main = Runner::new(ThreadId::MAIN, interp.initial(), 0, 0);
        let members = vec![Arc::new(Member { runner: main, ended: None, joined: false })];
        let (sources, coherence) = (Sources::default(), BTreeMap::new());
        Self {
            interp,
            sharing,
            model,
            members,
            events: Vec::new(),
            sources,
            coherence,
            initial: Arc::default(),
        }
    }

    /// A thread, to be changed.
    fn runner(&mut self, thread: usize) -> &mut Runner {
        &mut Arc::make_mut(&mut self.members[thread]).runner
    }

    /// What is left of a thread if it forgets what it will not read again.
    pub fn essence(&self, thread: usize) -> Runner {
        self.members[thread].runner.essence(self.sharing)
    }

    /// The interpreter that runs the threads.
    pub fn interp(&self) -> &'i Interp<'p> {
        self.interp
    }

    /// Returns true if there is no other thread, so that memory is what it is.
    pub fn is_alone(&self, thread: usize) -> bool {
        self.members.iter().enumerate().all(|(n, member)| n == thread || member.joined)
    }

    /// Tries a step of a thread; its reads of shared memory return `reads`.
    pub fn attempt(
        &mut self,
        thread: usize,
        reads: &[u128],
        inputs: &[u128],
    ) -> Result<Attempt, Inconclusive> {
        self.tell_ends(thread);
        let alone = self.is_alone(thread);
        if !alone && self.members[thread].runner.names_a_stranger(self.interp) {
            return Err(unsupported("joining a thread that this thread does not know"));
        }
        self.members[thread].runner.attempt(self.interp, self.sharing, reads, inputs, alone)
    }

    /// A thread that is about to join another learns whether that has ended.
    fn tell_ends(&mut self, thread: usize) {
        if let Some(target) = self.join_target(thread)
            && let Some(result) = self.members[target].ended
        {
            let joined = self.members[target].runner.thread;
            self.interp.finish_elsewhere(&mut self.runner(thread).state, joined, result);
        }
    }

    /// The thread that a thread joins next.
    pub fn join_target(&self, thread: usize) -> Option<usize> {
        let runner = &self.members[thread].runner;
        let Some(Action::Ops { ops, .. }) = runner.action(self.interp) else { return None };
        let handle = ops.iter().find_map(|op| match op {
            Op::Join { handle, .. } => self.interp.value_of(&runner.state, runner.thread, handle),
            _ => None,
        })?;
        let target = self.interp.named(&runner.state, handle)?;
        self.members.iter().position(|member| member.runner.thread == target)
    }

    /// The writes to a cell so far.
    pub fn writes(&mut self, cell: Cell) -> Result<Vec<usize>, Inconclusive> {
        self.know(cell)?;
        Ok(self.coherence[&(cell.object, cell.offset)].to_vec())
    }

    /// What an event reads or writes.
    pub fn value(&self, event: usize) -> Option<u128> {
        self.events[event].value
    }

    /// Returns true if what depends on the read `first` may as well depend on the later read `second` of the same thread (`Runner::keeps_dependencies` says why): they return
    /// one value of one cell, which their thread does not write between them, and the address of the second depends on as much.
    pub fn can_be_replaced(&self, first: usize, second: usize) -> bool {
        let (old, new) = (&self.events[first], &self.events[second]);
        if old.cell != new.cell || old.value != new.value || old.address & !new.address != 0 {
            return false;
        }
        let thread = old.thread;
        let mut between = self.events[first + 1..second].iter();
        if between.any(|e| e.what == What::Write && e.thread == thread && e.cell == old.cell) {
            return false;
        }
        // Here two loads of one cell can be out of order, so that coherence says nothing about what they return.
        let source = self.sources.get(first);
        self.model != MemoryModel::Rmo || source.is_some() && source == self.sources.get(second)
    }

    /// Returns true if the events from number `first` on come after all others, as far as reading and coherence go: they are fences, read the last write of
    /// their cell, or are that write themselves.
    pub fn comes_last(&self, first: usize) -> bool {
        let is_last = |event: &Event, write: usize| {
            let order = event.cell.and_then(|cell| self.coherence.get(&(cell.object, cell.offset)));
            order.is_some_and(|order| {
                order.iter().rev().take_while(|other| **other != write).all(|w| *w >= first)
            })
        };
        (first..self.events.len()).all(|at| match self.events[at].what {
            What::Read => {
                self.sources.get(at).is_some_and(|write| write < at && is_last(&self.events[at], write))
            }
            What::Write => is_last(&self.events[at], at),
            What::Initial | What::Machine(_) | What::Language(_) => true,
        })
    }

    /// Returns true if an event is an initial value.
    pub fn is_initial(&self, event: usize) -> bool {
        self.events[event].what == What::Initial
    }

    /// The cell that an event accesses.
    pub fn cell(&self, event: usize) -> Option<Cell> {
        self.events[event].cell
    }

    /// The thread of an event; initial values have none.
    pub fn thread(&self, event: usize) -> Option<usize> {
        self.events[event].thread
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Returns true if one event comes after another in program order and reading, however often.
    pub fn depends(&self, later: usize, earlier: usize) -> bool {
        let mut seen = 0u128;
        let mut queue = vec![later];
        while let Some(event) = queue.pop() {
            let source = self.sources.get(event).map_or(0, |write| 1u128 << write);
            let new = (self.events[event].before | source) & !seen;
            seen |= new;
            queue.extend((0..self.events.len()).filter(|event| new >> event & 1 == 1));
        }
        seen >> earlier & 1 == 1
    }

    /// The accesses that come before an access in program order.
    pub fn accesses_before(&self, event: usize) -> Vec<usize> {
        let is_access = |event: usize| self.events[event].cell.is_some();
        let before = self.events[event].before;
        (0..event).filter(|n| is_access(event) && is_access(*n) && before >> n & 1 == 1).collect()
    }

    /// Returns true if an event writes.
    pub fn is_write(&self, event: usize) -> bool {
        self.events[event].what == What::Write
    }

    /// The accesses behind one in its thread, up to another one that comes after it.
    pub fn program_order(&self, from: usize, to: usize) -> Vec<usize> {
        let before = |later: usize, earlier: usize| self.events[later].before >> earlier & 1 == 1;
        let is_between = |event: usize| event == to || before(event, from) && before(to, event);
        (0..self.events.len()).filter(|n| self.events[*n].cell.is_some() && is_between(*n)).collect()
    }

    /// The values that threads have written to each cell after they had read something, and the threads. (What is written before cannot be caused by others.)
    pub fn written(&self) -> impl Iterator<Item = ((Identity, u64), (u128, ThreadId))> {
        let has_read = |event: &&Event| {
            let mut earlier = (0..self.events.len()).filter(|n| event.before >> n & 1 == 1);
            earlier.any(|n| self.events[n].what == What::Read)
        };
        let writes = self.events.iter().filter(|event| event.what == What::Write).filter(has_read);
        writes.filter_map(|event| {
            let (cell, thread) = (event.cell?, self.members[event.thread?].runner.thread);
            Some(((cell.object, cell.offset), (event.value?, thread)))
        })
    }

    /// Returns true if a read cannot be part of a cycle of program order and reading unless that cycle has another read that can: every later write of its thread depends on it or has a fence
    /// before it, and so will those that are still to come (or there will be none). Were all reads of a cycle like this, all of it would be ordered, which no model allows.
    pub fn needs_no_promise(&self, read: usize, moves: bool) -> bool {
        let Some(thread) = self.events[read].thread else { return true };
        let knows_machines = self.model.user().is_none();
        let (mut fenced, mut addressed) = (false, false);
        for event in self.events[read + 1..].iter().filter(|event| event.thread == Some(thread)) {
            let depends = |set: u128| set >> read & 1 == 1;
            match event.what {
                What::Machine(
                    MachineFence::Full | MachineFence::Light | MachineFence::ReadAny | MachineFence::AnyWrite,
                ) => fenced |= knows_machines,
                What::Write if !fenced && !depends(event.data | event.address | event.control) => {
                    return false;
                }
                _ => {}
            }
            addressed |= knows_machines && depends(event.address) && self.model != MemoryModel::Rmo;
        }
        let branched = self.members[thread].runner.branches >> read & 1 == 1;
        !moves || fenced || addressed || branched
    }

    /// Adds a step that was taken; returns its reads and its write. Where the reads come from, and the write's place, are for the caller to say.
    pub fn take(
        &mut self,
        thread: usize,
        taken: &Taken,
    ) -> Result<(Vec<usize>, Option<usize>), Inconclusive> {
        let compiled = self.exclusive(thread, taken)?;
        self.runner(thread).follow(&taken.runner);
        let (mut reads, mut write) = (Vec::new(), None);
        self.machine_fence(thread, compiled.and_then(|c| c.before))?;
        for effect in &taken.effects {
            match effect {
                Effect::Read { cell, value, order, address } => {
                    let initial = self.know(*cell)?;
                    let how = compiled.unwrap_or_else(|| self.model.compiled_load(*order));
                    self.machine_fence(thread, how.before.filter(|_| compiled.is_none()))?;
                    let address = address.resolve(&reads);
                    let event = self.event(thread, What::Read, how.order)?;
                    let read = &mut self.events[event];
                    (read.cell, read.value, read.exclusive) = (Some(*cell), Some(*value), compiled.is_some());
                    read.initial = Some(initial);
                    read.address = address.data;
                    read.control |= address.control;
                    reads.push(event);
                    self.after(thread, event, how.after.filter(|_| compiled.is_none()))?;
                }
                Effect::Write { cell, value, order, address, data } => {
                    let initial = self.know(*cell)?;
                    let how = compiled.unwrap_or_else(|| self.model.compiled_store(*order));
                    self.machine_fence(thread, how.before.filter(|_| compiled.is_none()))?;
                    let (address, data) = (address.resolve(&reads), data.resolve(&reads));
                    let event = self.event(thread, What::Write, how.order)?;
                    let written = &mut self.events[event];
                    (written.cell, written.value) = (Some(*cell), Some(*value));
                    written.initial = Some(initial);
                    (written.address, written.data) = (address.data, data.data);
                    written.control |= address.control | data.control;
                    if compiled.is_some() {
                        (written.exclusive, written.read_part) = (true, reads.last().copied());
                    }
                    write = Some(event);
                    self.machine_fence(thread, how.after.filter(|_| compiled.is_none()))?;
                }
                other => self.other(thread, other, &reads)?,
            }
        }
        if let (Some(how), Some(read)) = (compiled, reads.last()) {
            self.after(thread, *read, how.after)?;
        }
        self.end(thread);
        Ok((reads, write))
    }

    /// The execution with one read more: the next one of a thread, which returns the indeterminate value that `write` stands for. How it is ordered is left out of account, so
    /// that models may allow too much.
    pub fn reading_nothing(&self, thread: usize, cell: Cell, write: usize) -> Result<Self, Inconclusive> {
        let mut next = self.clone();
        let address = self.members[thread].runner.next_address(self.interp, self.sharing);
        let address = address.unwrap_or_default();
        let read = next.event(thread, What::Read, Order::Plain)?;
        let event = &mut next.events[read];
        (event.cell, event.address) = (Some(cell), address.data);
        event.initial = self.events[write].initial;
        event.control |= address.control;
        next.sources.insert(read, write);
        Ok(next)
    }

    /// If the step is a read-modify-write: the instructions for it.
    fn exclusive(&self, thread: usize, taken: &Taken) -> Result<Option<Compiled>, Inconclusive> {
        let mut cells: Vec<Cell> = Vec::new();
        let mut writes = false;
        for effect in &taken.effects {
            if let Effect::Read { cell, .. } | Effect::Write { cell, .. } = effect {
                writes |= matches!(effect, Effect::Write { .. });
                if !cells.contains(cell) {
                    cells.push(*cell);
                }
            }
        }
        if cells.len() > 1 && writes {
            return Err(unsupported("an atomic step that accesses several shared cells"));
        }
        let Some(Action::Ops { ops, .. }) = self.members[thread].runner.action(self.interp) else {
            return Ok(None);
        };
        Ok(ReadModifyWrite::of(ops).filter(|_| !cells.is_empty()).map(|rmw| {
            let order =
                if writes || self.model.machine() == MemoryModel::Power { rmw.order } else { rmw.failure };
            self.model.compiled_read_modify_write(order)
        }))
    }

    /// Effects that are no accesses.
    fn other(&mut self, thread: usize, effect: &Effect, reads: &[usize]) -> Result<(), Inconclusive> {
        match effect {
            Effect::Read { .. } | Effect::Write { .. } => {}
            Effect::Fence(barrier) if self.model.machine() == MemoryModel::C11 => {
                self.event(thread, What::Language(*barrier), Order::Plain)?;
            }
            Effect::Fence(barrier) => {
                let is_mark = self.model == MemoryModel::Pso && self.model.fence(*barrier) == Fencing::Mark;
                let fence =
                    if is_mark { Some(MachineFence::Light) } else { self.model.compiled_fence(*barrier) };
                self.machine_fence(thread, fence)?;
            }
            Effect::Assign(target, sources) => self.runner(thread).assign(*target, sources.resolve(reads)),
            Effect::Branch(sources) => {
                let taint = sources.resolve(reads);
                self.runner(thread).branches |= taint.data | taint.control;
            }
            Effect::Address(sources) => self.runner(thread).reach(sources.resolve(reads)),
            Effect::Call(arguments) => {
                let arguments = arguments.iter().map(|(var, sources)| (*var, sources.resolve(reads)));
                self.runner(thread).enter(arguments);
            }
            Effect::Return(var, sources) => self.runner(thread).leave(*var, sources.resolve(reads)),
            Effect::Start(child) => self.start(thread, *child)?,
            Effect::Join(child) => self.join(thread, *child)?,
            Effect::Allocate(object, size) => {
                if self.sharing.is_shared(*object) {
                    for n in (0..self.members.len()).filter(|n| *n != thread) {
                        self.interp.introduce(&mut self.runner(n).state, *object, *size)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, thread: usize, child: ThreadId) -> Result<(), Inconclusive> {
        if self.is_alone(thread) {
            // Nothing that happened before matters for what threads see of each other.
            let state = &mut Arc::make_mut(&mut self.members[thread]).runner.state;
            let mut initial = HashMap::new();
            for object in self.interp.objects(state) {
                if self.sharing.is_shared(object) {
                    initial.extend(self.interp.bytes(state, object).map(|bytes| (object, bytes)));
                    self.interp.forget_bytes(state, object);
                }
            }
            self.initial = Arc::new(initial);
            self.events.clear();
            self.sources = Sources::default();
            self.coherence.clear();
            self.runner(thread).forget_dependencies();
        }
        self.everything_ordered(thread)?;
        let parent = &self.members[thread].runner;
        let runner = Runner::new(child, parent.state.clone(), parent.before, parent.branches);
        self.members.push(Arc::new(Member { runner, ended: None, joined: false }));
        Ok(())
    }

    fn join(&mut self, thread: usize, child: ThreadId) -> Result<(), Inconclusive> {
        let joined = self.members.iter().position(|member| member.runner.thread == child);
        let joined = joined.ok_or_else(|| unsupported("joining a thread that this thread did not create"))?;
        Arc::make_mut(&mut self.members[joined]).joined = true;
        let before = self.members[joined].runner.before;
        self.runner(thread).before |= before;
        self.everything_ordered(thread)?;
        if self.is_alone(thread) {
            let state = &mut Arc::make_mut(&mut self.members[thread]).runner.state;
            for (object, bytes) in self.initial.iter() {
                self.interp.set_bytes(state, *object, 0, bytes);
            }
            for order in self.coherence.values() {
                let last = order.last().map(|write| &self.events[*write]);
                let Some(Event { cell: Some(cell), value, .. }) = last else { continue };
                let bytes: Vec<Option<u8>> =
                    (0..cell.width.bytes()).map(|n| value.map(|value| low8(value >> (8 * n)))).collect();
                self.interp.set_bytes(state, cell.object, cell.offset, &bytes);
            }
        }
        Ok(())
    }

    /// Creating and joining threads order all accesses; in C11 by happens-before, which contains program order.
    fn everything_ordered(&mut self, thread: usize) -> Result<(), Inconclusive> {
        let fence = (!matches!(self.model.machine(), MemoryModel::C11 | MemoryModel::Sc))
            .then_some(MachineFence::Full);
        self.machine_fence(thread, fence)
    }

    /// Takes note of a thread's end. One that ends the program is never joined.
    fn end(&mut self, thread: usize) {
        let member = Arc::make_mut(&mut self.members[thread]);
        let status = member.runner.state.thread(member.runner.thread).map(|thread| thread.status());
        if let Some(program::interp::Status::Finished(result)) = status {
            member.ended = Some(result);
        }
    }

    fn after(&mut self, thread: usize, read: usize, fence: Option<MachineFence>) -> Result<(), Inconclusive> {
        if fence.is_some() {
            self.runner(thread).branches |= 1 << read;
        }
        self.machine_fence(thread, fence)
    }

    fn machine_fence(&mut self, thread: usize, fence: Option<MachineFence>) -> Result<(), Inconclusive> {
        fence.map_or(Ok(()), |fence| self.event(thread, What::Machine(fence), Order::Plain).map(drop))
    }

    fn event(&mut self, thread: usize, what: What, order: Order) -> Result<usize, Inconclusive> {
        let runner = &self.members[thread].runner;
        let is_barrier = what == What::Machine(MachineFence::Control);
        let control = runner.control(self.model, what == What::Write, is_barrier);
        let event = Event {
            thread: Some(thread),
            what,
            cell: None,
            initial: None,
            value: None,
            order,
            exclusive: false,
            before: runner.before,
            address: 0,
            data: 0,
            control,
            read_part: None,
        };
        let at = self.push(event)?;
        self.runner(thread).before |= 1 << at;
        Ok(at)
    }

    fn push(&mut self, event: Event) -> Result<usize, Inconclusive> {
        if self.events.len() == MAX_EVENTS {
            return Err(Inconclusive::Bound(format!("more than {MAX_EVENTS} events")));
        }
        self.events.push(event);
        Ok(self.events.len() - 1)
    }

    /// The event of a cell's initial value; it is made when the cell is first accessed.
    fn know(&mut self, cell: Cell) -> Result<usize, Inconclusive> {
        for order in self.coherence.values() {
            match self.events[order[0]].cell {
                Some(known) if known == cell => return Ok(order[0]),
                Some(known) if known.overlaps(&cell) => {
                    return Err(unsupported("accesses of different sizes to the same memory"));
                }
                _ => {}
            }
        }
        let value = self.initial.get(&cell.object).and_then(|bytes| {
            (0..cell.width.bytes()).rev().try_fold(0u128, |value, n| {
                let byte = bytes.get(index(cell.offset + n)).copied().flatten()?;
                Some(value << 8 | u128::from(byte))
            })
        });
        let event = Event {
            thread: None,
            what: What::Initial,
            cell: Some(cell),
            initial: Some(self.events.len()),
            value,
            order: Order::Plain,
            exclusive: false,
            before: 0,
            address: 0,
            data: 0,
            control: 0,
            read_part: None,
        };
        let at = self.push(event)?;
        self.coherence.insert((cell.object, cell.offset), Arc::new(vec![at]));
        Ok(at)
    }
}
