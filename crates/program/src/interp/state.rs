//! A state of a run: memory, threads and who is in an atomic section.
//!
//! States are values: they can be cloned cheaply (contents, threads and frames are shared until changed), compared
//! and hashed. The numbers in them are those of one [`Interp`](super::Interp); states of different interpreters
//! should not be compared.

use super::bits::Bits;
use super::buffers::Buffer;
use super::memory::Memory;
use super::{Site, Slot, ThreadId};
use crate::{FuncId, LocId, VarId, Width};
use base::Idx;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Everything that determines how a run can go on.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct State {
    pub(super) memory: Memory,
    /// Sorted by id. A thread that can no longer be referred to (joined, or detached and finished) is not here.
    pub(super) threads: Vec<(ThreadId, Arc<Thread>)>,
    /// Who is in an atomic section, and how deep.
    pub(super) atomic: Option<(ThreadId, u32)>,
    /// True if the program has ended.
    pub(super) ended: bool,
}

/// A thread's part of a state.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Thread {
    /// The calls it is in, innermost last; none once it has finished.
    pub(super) frames: Vec<Arc<Frame>>,
    pub(super) status: Status,
    pub(super) detached: bool,
    /// Its stores that have not reached memory; always empty under sequential consistency.
    pub(super) buffer: Buffer,
    /// How often it has allocated or created at each site, sorted by site.
    counts: Vec<(Site, u32)>,
}

/// What a thread is up to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Status {
    /// It takes steps (if its next action is not blocked).
    Running,
    /// It has begun to wait on a condition variable and not yet ended that.
    Waiting {
        /// The condition variable's address.
        cond: u64,
        /// True if it has been woken.
        signalled: bool,
    },
    /// It has ended, with this result (if that is determinate).
    Finished(Option<u128>),
}

/// One call of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Frame {
    /// The function.
    pub(super) func: FuncId,
    /// Where it is; a caller stays at the location of its call.
    pub(super) loc: LocId,
    /// The registers, by variable; memory variables have an unused place here. `None` is indeterminate.
    pub(super) registers: Vec<Option<u128>>,
    /// The indeterminate registers of which some bits are set, sorted.
    #[serde(default)]
    pub(super) partly: Vec<(VarId, Bits)>,
    /// Objects of variable length that die with this frame, oldest first, with their sites.
    pub(super) allocas: Vec<(Site, Slot)>,
}

impl State {
    /// Returns true if the program has ended.
    pub fn ended(&self) -> bool {
        self.ended
    }
    /// Who is in an atomic section.
    pub fn atomic_owner(&self) -> Option<ThreadId> {
        self.atomic.map(|(owner, _)| owner)
    }
    /// The threads that have not been forgotten, sorted by id.
    pub fn threads(&self) -> impl Iterator<Item = (ThreadId, &Thread)> {
        self.threads.iter().map(|(id, thread)| (*id, &**thread))
    }
    /// A thread, unless it has been forgotten.
    pub fn thread(&self, id: ThreadId) -> Option<&Thread> {
        let at = self.threads.binary_search_by_key(&id, |(t, _)| *t).ok()?;
        Some(&self.threads[at].1)
    }

    /// Makes registers indeterminate that `is_dead` names, given the thread, the frame and whether it is the innermost one. That adds executions, and takes none away: an indeterminate
    /// register may have any value when it is read.
    pub fn forget_registers(&mut self, is_dead: impl Fn(ThreadId, &Frame, bool, VarId) -> bool) {
        for (id, thread) in &mut self.threads {
            let n_frames = thread.frames.len();
            for n in 0..n_frames {
                let frame = &thread.frames[n];
                let is_known = |var: &VarId| frame.is_set(*var);
                let vars = (0..frame.registers.len()).map(VarId::new);
                let dead: Vec<VarId> = vars
                    .filter(is_known)
                    .filter(|var| is_dead(*id, frame, n + 1 == n_frames, *var))
                    .collect();
                if !dead.is_empty() {
                    let frame = Arc::make_mut(&mut Arc::make_mut(thread).frames[n]);
                    dead.into_iter().for_each(|var| frame.set(var, None));
                }
            }
        }
    }

    pub(super) fn thread_mut(&mut self, id: ThreadId) -> Option<&mut Thread> {
        let at = self.threads.binary_search_by_key(&id, |(t, _)| *t).ok()?;
        Some(Arc::make_mut(&mut self.threads[at].1))
    }
    pub(super) fn add_thread(&mut self, id: ThreadId, thread: Thread) {
        let at = self.threads.binary_search_by_key(&id, |(t, _)| *t);
        let at = at.expect_err("a thread's identity should be fresh");
        self.threads.insert(at, (id, Arc::new(thread)));
    }
    pub(super) fn forget_thread(&mut self, id: ThreadId) {
        self.threads.retain(|(t, _)| *t != id);
    }
    /// The program ends: nothing is left that could move.
    pub(super) fn end(&mut self) {
        self.ended = true;
        self.threads.clear();
        self.atomic = None;
    }
}

/// How many frames take part in a thread's hash value.
const HASHED_FRAMES: usize = 8;

impl Hash for Thread {
    /// Equal threads have equal hashes, as a hash has to do; leaving out the outer frames of a deep recursion keeps a
    /// step's cost from growing with the depth.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.frames.len().hash(hasher);
        for frame in self.frames.iter().rev().take(HASHED_FRAMES) {
            frame.hash(hasher);
        }
        self.status.hash(hasher);
        self.detached.hash(hasher);
        self.buffer.hash(hasher);
        self.counts.hash(hasher);
    }
}

impl Thread {
    pub(super) fn new(frame: Frame) -> Self {
        Self {
            frames: vec![Arc::new(frame)],
            status: Status::Running,
            detached: false,
            buffer: Buffer::default(),
            counts: Vec::new(),
        }
    }
    /// What it is up to.
    pub fn status(&self) -> Status {
        self.status
    }
    /// Returns true if it has ended.
    pub fn is_finished(&self) -> bool {
        matches!(self.status, Status::Finished(_))
    }
    /// True if no thread will join it.
    pub fn is_detached(&self) -> bool {
        self.detached
    }
    /// The calls it is in, outermost first.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = &Frame> + ExactSizeIterator {
        self.frames.iter().map(|frame| &**frame)
    }
    /// The innermost call; none once the thread has finished.
    pub fn top(&self) -> Option<&Frame> {
        self.frames.last().map(|frame| &**frame)
    }
    pub(super) fn top_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut().map(Arc::make_mut)
    }
    /// How often this was asked for `site` before.
    pub(super) fn count(&mut self, site: Site) -> u32 {
        match self.counts.binary_search_by_key(&site, |(s, _)| *s) {
            Ok(at) => {
                self.counts[at].1 += 1;
                self.counts[at].1
            }
            Err(at) => {
                self.counts.insert(at, (site, 0));
                0
            }
        }
    }
}

impl Frame {
    pub(super) fn new(func: FuncId, entry: LocId, n_vars: usize) -> Self {
        Self { func, loc: entry, registers: vec![None; n_vars], partly: Vec::new(), allocas: Vec::new() }
    }
    /// Gives a register a value, or makes it indeterminate.
    pub(super) fn set(&mut self, var: VarId, value: Option<u128>) {
        self.registers[var.index()] = value;
        self.partly.retain(|(other, _)| *other != var);
    }
    /// Says which bits of an indeterminate register are set.
    pub(super) fn set_partly(&mut self, var: VarId, bits: Bits) {
        let place = self.partly.partition_point(|(other, _)| *other < var);
        self.partly.insert(place, (var, bits));
    }
    /// The bits of a register.
    pub(super) fn bits(&self, var: VarId, width: Width) -> Bits {
        match (self.registers[var.index()], self.partly.iter().find(|(other, _)| *other == var)) {
            (Some(value), _) => Bits::known(value),
            (None, Some((_, bits))) => *bits,
            (None, None) => Bits::new(0, width.mask()),
        }
    }
    /// Returns true if a register is determinate, or some bits of it are.
    fn is_set(&self, var: VarId) -> bool {
        self.registers[var.index()].is_some() || self.partly.iter().any(|(other, _)| *other == var)
    }
    /// The function.
    pub fn func(&self) -> FuncId {
        self.func
    }
    /// Where it is; a caller stays at the location of its call.
    pub fn loc(&self) -> LocId {
        self.loc
    }
    /// The value of a register, if it is determinate.
    pub fn register(&self, var: VarId) -> Option<u128> {
        self.registers.get(var.index()).copied().flatten()
    }
}
