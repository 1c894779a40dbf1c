//! Store buffers: the machines TSO and PSO (Owens, Sarkar, Sewell, *A better x86 memory model: x86-TSO*, TPHOLs 2009; SPARC V9, appendix D).
//!
//! Each thread has a list of stores that have not reached memory, oldest first. A store is checked when it is made and appended; some time later,
//! in a step of its own, it *leaves*: memory changes. A load takes the newest own entry that covers it, else memory. So a thread sees its own
//! stores at once and the other threads see them later, possibly after loads that follow them in the program.
//!
//! | question | answered by |
//! |---|---|
//! | which entries may leave? TSO: the oldest; PSO: those that overlap no older one and have no mark before them | [`Thread::leaving`] |
//! | what does a load see? | [`Thread::forwarded`] |
//! | what must have left before an action? | [`Interp::demand_of`] (the table is [`crate::memory_model`]) |
//! | which stores are not buffered? | [`Interp::is_buffered`] |
//! | where can stores leave? | [`FlushPoints`] |
//!
//! # Choices of this semantics
//! - A *mark* lies before an entry that no later entry overtakes, and itself waits for all older ones: the machine's `stbar`. Of several marks in
//!   a row one is kept, none before the oldest entry, so that equal states are equal.
//! - A load that an own entry overlaps without covering waits until that entry has left, as processors do.
//! - A thread waits for an empty buffer before it creates, joins, waits, signals, passes a barrier or a `once`, posts a semaphore, enters
//!   or leaves an atomic section, or ends: the library's implementations do so. Taking and giving back locks follow their orders only.
//! - `main` does not wait when it returns, nor a thread that calls `exit`: the program is over, and no thread sees what was left.
//! - Own entries into an object that ends its life disappear with it. If another thread has such an entry, the store has no
//!   meaning: nothing ordered it before the end.
//! - Stores leave only at *flush points*: before an action of their thread that reads memory, waits for its buffer or can block, at the end of
//!   functions and of the program, and at the heads of loops. No thread can observe the difference: what leaves in between could as well leave at the next such point, since its thread does
//!   nothing meanwhile that depends on memory. (Loops have a point of their own, because a thread that only computes may never come to another one.)
//! - A copy of many bytes enters the buffer in words of eight bytes, in order of addresses.
//!
//! # Direction of error
//! None, but for what is not buffered although it could be: a variable whose address never leaves its function, and every store of a
//! thread that is alone with an empty buffer. No thread can observe the difference: there is no other one to read it before it would leave.

use super::eval::Fault;
use super::step::{Flow, Step, StepResult};
use super::{Event, Identity, Interp, Place, Slot, State, Thread, ThreadId};
use crate::memory_model::{Demand, Fencing, ReadModifyWrite, Storing};
use crate::{
    Action, BinOp, Callee, Expr, FuncId, Function, LocId, Location, MemoryModel, ObjectId, Op, Order,
    Program, Undefined, UndefinedKind, VarId,
};
use base::IdxVec;
use base::convert::index;
use rustc_hash::FxHashSet;

/// The most bytes of an entry.
const WORD: u64 = 8;

/// A store that has not reached memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Entry {
    pub(super) slot: Slot,
    pub(super) offset: u64,
    /// `None` is indeterminate.
    pub(super) bytes: Vec<Option<u8>>,
    /// True if a mark lies between the entry before and this one.
    marked: bool,
}

/// The stores of a thread that have not reached memory, oldest first.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Buffer {
    entries: Vec<Entry>,
    /// True if a mark lies behind the last entry.
    marked: bool,
}

impl Entry {
    fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
    fn overlaps(&self, slot: Slot, offset: u64, len: u64) -> bool {
        self.slot == slot && self.offset < offset + len && offset < self.end()
    }
    fn covers(&self, slot: Slot, offset: u64, len: u64) -> bool {
        self.slot == slot && self.offset <= offset && offset + len <= self.end()
    }
}

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    fn append(&mut self, slot: Slot, offset: u64, bytes: Vec<Option<u8>>) {
        let marked = std::mem::take(&mut self.marked);
        self.entries.push(Entry { slot, offset, bytes, marked });
    }
    /// Puts a mark behind all entries.
    fn mark(&mut self) {
        self.marked = !self.entries.is_empty();
    }
    /// Takes an entry out that may leave.
    fn remove(&mut self, n: usize) -> Entry {
        let entry = self.entries.remove(n);
        self.tidy();
        entry
    }
    /// Marks before the oldest entry, or behind no entry, mean nothing.
    fn tidy(&mut self) {
        match self.entries.first_mut() {
            Some(first) => first.marked = false,
            None => self.marked = false,
        }
    }
    /// Entries into a dead object disappear.
    fn forget(&mut self, slot: Slot) {
        let mut marked = false;
        self.entries.retain_mut(|entry| {
            entry.marked |= std::mem::take(&mut marked);
            marked = entry.slot == slot && entry.marked;
            entry.slot != slot
        });
        self.marked |= marked;
        self.tidy();
    }
    /// Positions of the entries of the oldest group: those without a mark before them.
    fn oldest_group(&self) -> usize {
        1 + self.entries.iter().skip(1).take_while(|entry| !entry.marked).count()
    }
}

/// A store in a buffer, as others may see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferedStore {
    /// Where it will be written.
    pub place: Place,
    /// The bytes; `None` is indeterminate.
    pub bytes: Vec<Option<u8>>,
}

impl Thread {
    /// Returns true if stores of this thread have not reached memory.
    pub fn has_buffered(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Positions of the entries that may leave now.
    pub(super) fn leaving(&self, model: MemoryModel) -> Vec<usize> {
        let entries = &self.buffer.entries;
        if entries.is_empty() {
            return Vec::new();
        }
        if model == MemoryModel::Tso {
            return vec![0];
        }
        let blocked = |n: usize| {
            let entry = &entries[n];
            entries[..n]
                .iter()
                .any(|older| older.overlaps(entry.slot, entry.offset, entry.bytes.len() as u64))
        };
        (0..self.buffer.oldest_group()).filter(|n| !blocked(*n)).collect()
    }

    /// What a read of these bytes sees in the thread's own buffer; `None` if nothing, so that it goes to memory.
    pub(super) fn forwarded(
        &self,
        slot: Slot,
        offset: u64,
        len: u64,
    ) -> Option<Result<Vec<Option<u8>>, Fault>> {
        let newest = self.buffer.entries.iter().rev().find(|entry| entry.overlaps(slot, offset, len))?;
        if !newest.covers(slot, offset, len) {
            return Some(Err(Fault::Waits));
        }
        let from = index(offset - newest.offset);
        Some(Ok(newest.bytes[from..from + index(len)].to_vec()))
    }

    /// Returns true if a relaxed read-modify-write of these bytes has to wait: for what is before the last mark, and for what overlaps.
    fn delays(&self, slot: Slot, offset: u64, len: u64) -> bool {
        let entries = &self.buffer.entries;
        let marked = self.buffer.marked || entries.iter().skip(1).any(|entry| entry.marked);
        marked || entries.iter().any(|entry| entry.overlaps(slot, offset, len))
    }
}

impl<'p> Interp<'p> {
    /// What must have left the buffer of `thread` before `action`.
    pub(super) fn demand_of(&self, state: &State, thread: ThreadId, action: &Action) -> Demand {
        let model = self.program().memory_model;
        if !model.has_buffers() || state.atomic_owner() == Some(thread) {
            return Demand::Empty;
        }
        let is_last = || state.thread(thread).is_some_and(|t| t.frames().len() == 1);
        match action {
            Action::Return(_) if is_last() && thread != ThreadId::MAIN => Demand::Empty,
            other => model.demand(other),
        }
    }

    /// Returns true if a store of `thread` into this object is appended to its buffer, rather than written.
    fn is_buffered(&self, state: &State, thread: ThreadId, slot: Slot) -> bool {
        let has_entries = state.thread(thread).is_some_and(Thread::has_buffered);
        let alone = || state.threads().all(|(id, other)| id == thread || other.is_finished());
        if !has_entries && alone() {
            return false;
        }
        match self.identity(slot) {
            Identity::Local { func, var, .. } => !self.private.variables.contains(&(func, var)),
            Identity::ThreadLocal(object, _) => !self.private.objects.contains(&object),
            Identity::Static(_) | Identity::Heap { .. } | Identity::Alloca { .. } => true,
        }
    }

    /// Positions of the stores of a thread that may leave its buffer now.
    pub fn leaving(&self, state: &State, thread: ThreadId) -> Vec<usize> {
        state.thread(thread).map(|t| t.leaving(self.program().memory_model)).unwrap_or_default()
    }

    /// The stores of a thread that have not reached memory, oldest first.
    pub fn buffered(&self, state: &State, thread: ThreadId) -> Vec<BufferedStore> {
        let entries = state.thread(thread).map(|t| &t.buffer.entries[..]).unwrap_or_default();
        let place = |e: &Entry| Place::Memory { object: self.identity(e.slot), offset: e.offset };
        entries.iter().map(|e| BufferedStore { place: place(e), bytes: e.bytes.clone() }).collect()
    }
}

impl Step<'_, '_> {
    /// Writes bytes for a store of this order: into memory, or into the thread's buffer. Returns true if they were buffered.
    pub(super) fn put(&mut self, slot: Slot, offset: u64, bytes: &[Option<u8>], order: Order) -> Flow<bool> {
        let marks = self.interp.program().memory_model.store(order) == Storing::MarkedAppended;
        if marks && self.demand == Demand::Nothing {
            self.running_mut().buffer.mark();
        }
        if self.demand != Demand::Nothing || !self.interp.is_buffered(self.state, self.thread, slot) {
            let overlaps = |entry: &Entry| entry.overlaps(slot, offset, bytes.len() as u64);
            if self.running().buffer.entries.iter().any(overlaps) {
                return Err(StepResult::Blocked);
            }
            self.content(slot).write(offset, bytes);
            return Ok(false);
        }
        let buffer = &mut self.running_mut().buffer;
        for (n, word) in bytes.chunks(index(WORD)).enumerate() {
            buffer.append(slot, offset + n as u64 * WORD, word.to_vec());
        }
        Ok(true)
    }

    /// What a fence does. One that waits for an empty buffer comes first in its transaction.
    pub(super) fn fence(&mut self, fencing: Fencing) -> Flow<()> {
        match fencing {
            Fencing::Nothing => Ok(()),
            Fencing::Mark => {
                self.running_mut().buffer.mark();
                Ok(())
            }
            Fencing::Drain if !self.running().has_buffered() => Ok(()),
            Fencing::Drain => Err(StepResult::Unsupported("a fence behind a store in one step".to_owned())),
        }
    }

    /// Whether the store of a read-modify-write takes place: not if its condition is false.
    pub(super) fn stores(&mut self, ops: &[Op], n: usize, slot: Slot, offset: u64, len: u64) -> Flow<bool> {
        let model = self.interp.program().memory_model;
        let Some(rmw) = ReadModifyWrite::of(ops).filter(|rmw| rmw.store_at == n) else { return Ok(true) };
        let stores = match rmw.stores_if {
            Some(cond) => self.value(cond)? != 0,
            None => true,
        };
        let order = if stores { rmw.order } else { rmw.failure };
        let waits = self.running().delays(slot, offset, len)
            || model.read_modify_write_drains(order) && self.running().has_buffered();
        if waits { Err(StepResult::Blocked) } else { Ok(stores) }
    }

    /// Entry `n` of those that may leave reaches memory.
    pub(super) fn leave_buffer(&mut self, n: usize) -> Flow<()> {
        let entry = self.running_mut().buffer.remove(n);
        let Some(content) = self.state.memory.get_mut(entry.slot) else {
            let what = "a buffered store reaches an object that is not alive".to_owned();
            return Err(StepResult::Undefined(Undefined::new(UndefinedKind::UseAfterFree, what)));
        };
        content.write(entry.offset, &entry.bytes);
        self.tell(|interp| {
            let place = Place::Memory { object: interp.identity(entry.slot), offset: entry.offset };
            Event::Left { place, bytes: entry.bytes }
        });
        Ok(())
    }

    /// Deals with entries into an object whose life ends.
    pub(super) fn drop_entries(&mut self, slot: Slot) -> Flow<()> {
        if !self.interp.program().memory_model.has_buffers() {
            return Ok(());
        }
        let (state, thread) = (&*self.state, self.thread);
        let foreign = |t: &Thread| t.buffer.entries.iter().any(|entry| entry.slot == slot);
        if state.threads().any(|(id, other)| id != thread && foreign(other)) {
            let what = "an object ends its life while another thread's store to it is buffered";
            return Err(StepResult::Undefined(Undefined::new(UndefinedKind::UseAfterFree, what.to_owned())));
        }
        if self.running().has_buffered() {
            self.running_mut().buffer.forget(slot);
        }
        Ok(())
    }
}

/// Locations before whose actions stores can leave the buffer.
#[derive(Default)]
pub(super) struct FlushPoints {
    points: IdxVec<FuncId, IdxVec<LocId, bool>>,
}

impl FlushPoints {
    pub(super) fn of(program: &Program, private: &Private) -> Self {
        let points = program.functions.iter_enumerated().map(|(func, function)| {
            let heads = loop_heads(function);
            let point = |(loc, location): (LocId, &Location)| {
                heads.contains(&loc)
                    || program.memory_model.demand(&location.action) != Demand::Nothing
                    || ends(&location.action)
                    || private.reads_others(func, &location.action)
            };
            function.locations.iter_enumerated().map(point).collect()
        });
        Self { points: points.collect() }
    }

    pub(super) fn contains(&self, func: FuncId, loc: LocId) -> bool {
        self.points[func][loc]
    }
}

/// Returns true if the action ends its function, or the program: what has not left before never will.
fn ends(action: &Action) -> bool {
    match action {
        Action::Return(_)
        | Action::ThreadExit(_)
        | Action::Exit
        | Action::Error { .. }
        | Action::Unsupported(_)
        | Action::Undefined(_) => true,
        Action::Ops { ops, .. } => ops.iter().any(|op| matches!(op, Op::Assume(_))),
        Action::Branch { .. } | Action::Call { .. } => false,
    }
}

/// Locations that an edge leads back to, in a depth-first search.
pub fn loop_heads(function: &Function) -> FxHashSet<LocId> {
    let (mut heads, mut done, mut open) = (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    let mut todo = vec![(function.entry, false)];
    while let Some((loc, leaves)) = todo.pop() {
        if leaves {
            open.remove(&loc);
            done.insert(loc);
        } else if open.contains(&loc) {
            heads.insert(loc);
        } else if !done.contains(&loc) {
            open.insert(loc);
            todo.push((loc, true));
            todo.extend(function.locations[loc].action.successors().map(|next| (next, false)));
        }
    }
    heads
}

/// What only its own thread can access: no other thread gets its address.
#[derive(Default)]
pub(super) struct Private {
    variables: FxHashSet<(FuncId, VarId)>,
    objects: FxHashSet<ObjectId>,
}

impl Private {
    /// Memory variables and thread-local objects whose addresses are used for accesses only.
    pub(super) fn of(program: &Program) -> Self {
        let mut private = Self::default();
        for (func, function) in program.functions.iter_enumerated() {
            private.variables.extend(function.vars.ids().map(|var| (func, var)));
        }
        private.objects.extend(program.objects.ids());
        for (func, function) in program.functions.iter_enumerated() {
            for location in function.locations.iter() {
                private.action(func, &location.action);
            }
        }
        let targets = program.objects.iter().flat_map(|object| &object.relocs);
        for reloc in targets {
            if let crate::RelocTarget::Object(object) = reloc.target {
                private.objects.remove(&object);
            }
        }
        private
    }

    /// Returns true if an action may block, or reads memory that others may write.
    fn reads_others(&self, func: FuncId, action: &Action) -> bool {
        let mut found = false;
        let mut look = |expr: &Expr| {
            expr.walk(&mut |part| {
                if let Expr::Load { addr, .. } = part {
                    found |= !self.is_private(func, addr);
                }
            });
        };
        match action {
            Action::Ops { ops, .. } => {
                for op in ops {
                    match op {
                        Op::Set { value, .. } | Op::Assume(value) | Op::Free(value) => look(value),
                        Op::Store { addr, value, .. } => {
                            look(addr);
                            look(value);
                        }
                        Op::Alloc { size, .. } => look(size),
                        Op::Havoc { .. } | Op::Forget { .. } | Op::Fence(_) | Op::Signed { .. } => {}
                        Op::Guard(_)
                        | Op::Copy { .. }
                        | Op::Fill { .. }
                        | Op::Realloc { .. }
                        | Op::AtomicBegin
                        | Op::AtomicEnd
                        | Op::Create { .. }
                        | Op::Join { .. }
                        | Op::Detach { .. }
                        | Op::WaitBegin(_)
                        | Op::WaitEnd { .. }
                        | Op::Signal { .. } => return true,
                    }
                }
            }
            Action::Branch { cond, .. } => look(cond),
            Action::Call { callee, args, .. } => {
                args.iter().for_each(&mut look);
                if let Callee::Indirect(target) = callee {
                    look(target);
                }
            }
            Action::Return(Some(value)) | Action::ThreadExit(value) => look(value),
            Action::Return(None)
            | Action::Exit
            | Action::Error { .. }
            | Action::Unsupported(_)
            | Action::Undefined(_) => {}
        }
        found
    }

    fn is_private(&self, func: FuncId, addr: &Expr) -> bool {
        match addr {
            Expr::LocalAddr(var, _) => self.variables.contains(&(func, *var)),
            Expr::Binary(BinOp::Add | BinOp::Sub, base, _) => self.is_private(func, base),
            _ => false,
        }
    }

    fn action(&mut self, func: FuncId, action: &Action) {
        match action {
            Action::Ops { ops, .. } => ops.iter().for_each(|op| self.op(func, op)),
            Action::Branch { cond, .. } => self.value(func, cond),
            Action::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    self.value(func, target);
                }
                args.iter().for_each(|arg| self.value(func, arg));
            }
            Action::Return(Some(value)) | Action::ThreadExit(value) => self.value(func, value),
            Action::Return(None)
            | Action::Exit
            | Action::Error { .. }
            | Action::Unsupported(_)
            | Action::Undefined(_) => {}
        }
    }

    fn op(&mut self, func: FuncId, op: &Op) {
        match op {
            Op::Set { value, .. } | Op::Guard(value) | Op::Assume(value) => self.value(func, value),
            Op::Store { addr, value, .. } => {
                self.address(func, addr);
                self.value(func, value);
            }
            Op::Copy { dst, src, len } => {
                self.address(func, dst);
                self.address(func, src);
                self.value(func, len);
            }
            Op::Fill { dst, byte, len } => {
                self.address(func, dst);
                self.value(func, byte);
                self.value(func, len);
            }
            Op::Alloc { size, .. } => self.value(func, size),
            Op::Realloc { ptr, size, stays, .. } => {
                self.value(func, ptr);
                self.value(func, size);
                self.value(func, stays);
            }
            Op::Free(value)
            | Op::Join { handle: value, .. }
            | Op::Detach { handle: value, .. }
            | Op::WaitBegin(value)
            | Op::Signal { cond: value, .. } => self.value(func, value),
            Op::Create { func: routine, arg, .. } => {
                self.value(func, routine);
                self.value(func, arg);
            }
            Op::Havoc { .. }
            | Op::Forget { .. }
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::Fence(_)
            | Op::Signed { .. }
            | Op::WaitEnd { .. } => {}
        }
    }

    /// An expression whose value may go anywhere.
    fn value(&mut self, func: FuncId, expr: &Expr) {
        match expr {
            Expr::LocalAddr(var, _) => {
                self.variables.remove(&(func, *var));
            }
            Expr::ObjectAddr(object, _) => {
                self.objects.remove(object);
            }
            Expr::Load { addr, .. } => self.address(func, addr),
            other => other.children().for_each(|child| self.value(func, child)),
        }
    }

    /// An expression that is an address of an access: its base goes nowhere else.
    fn address(&mut self, func: FuncId, expr: &Expr) {
        match expr {
            Expr::LocalAddr(..) | Expr::ObjectAddr(..) => {}
            Expr::Binary(BinOp::Add | BinOp::Sub, base, index) => {
                self.address(func, base);
                self.value(func, index);
            }
            other => self.value(func, other),
        }
    }
}
