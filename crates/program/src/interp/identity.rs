//! Who is who: structural identities of objects and threads, and the numbers that stand for them.
//!
//! Two interleavings that allocate the same objects in another order should reach *equal* states. So an object is
//! not named by a global counter but by what it is ([`Identity`]: whose frame and variable, or which allocation of
//! which thread at which site), and a thread by its creator, the creation site and a count ([`Origin`]). The
//! [`Interner`] of an [`Interp`](super::Interp) gives each identity one address, or one [`ThreadId`], for good. Which
//! number that is depends on the order in which identities were first met, so numbers of one `Interp` mean nothing to
//! another; [`Identities`] carries the order over when they have to.
//!
//! # Invariants
//! - Address ranges never meet and are kept apart by a gap, so a pointer one past the end of an object is no
//!   pointer to another; a function's address is in no object; nothing is at 0.
//! - Slots are sorted by address, because addresses are handed out upwards.

use crate::{Action, DataModel, FuncId, LocId, ObjectId, Op, Program, Storage, VarId, VarKind};
use base::{Idx, IdxVec, Inconclusive, convert, id_type};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

id_type!(
    /// A thread. In a run from a fresh interpreter ids are in order of creation, the main thread being `t0`.
    ThreadId,
    "t"
);
id_type!(
    /// An object that exists or can exist: an identity with its address.
    Slot,
    "m"
);

impl ThreadId {
    /// The thread that starts at the program's entry.
    pub const MAIN: ThreadId = ThreadId(0);
}

/// One operation of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Site {
    /// In this function
    pub func: FuncId,
    /// at this location
    pub loc: LocId,
    /// the so-manieth operation of the transaction.
    pub op: u32,
}

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Identity {
    /// A static object that all threads share.
    Static(ObjectId),
    /// A thread's copy of a thread-local object.
    ThreadLocal(ObjectId, ThreadId),
    /// A memory variable of a frame.
    Local {
        /// Whose frame.
        thread: ThreadId,
        /// How many frames are below it.
        depth: u32,
        /// The frame's function.
        func: FuncId,
        /// The variable.
        var: VarId,
    },
    /// An allocation on the heap.
    Heap {
        /// Who allocated.
        thread: ThreadId,
        /// Where.
        site: Site,
        /// How many allocations this thread had made there before.
        count: u32,
        /// Its size in bytes; if that varies, the most that it can be.
        room: u64,
    },
    /// An allocation that lives as long as its frame.
    Alloca {
        /// Whose frame.
        thread: ThreadId,
        /// How many frames are below it.
        depth: u32,
        /// Where.
        site: Site,
        /// How many such allocations this frame had made before.
        count: u32,
        /// As for an allocation on the heap.
        room: u64,
    },
}

impl Identity {
    /// Returns true if it is memory of the C library ([`Storage::Library`]).
    pub fn is_of_library(self, program: &Program) -> bool {
        match self {
            Identity::Heap { site, .. } => {
                matches!(operation(program, site), Some(Op::Alloc { storage: Storage::Library, .. }))
            }
            Identity::Static(_)
            | Identity::ThreadLocal(..)
            | Identity::Local { .. }
            | Identity::Alloca { .. } => false,
        }
    }

    /// Whose frame it is in, or who has allocated it; `None` for what all threads have in common.
    pub fn owner(self) -> Option<ThreadId> {
        match self {
            Identity::Static(_) => None,
            Identity::ThreadLocal(_, thread)
            | Identity::Local { thread, .. }
            | Identity::Heap { thread, .. }
            | Identity::Alloca { thread, .. } => Some(thread),
        }
    }
}

/// Which thread this is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Origin {
    /// Who created it.
    pub creator: ThreadId,
    /// Where.
    pub site: Site,
    /// How many threads its creator had created there before.
    pub count: u32,
}

/// The identities known to an interpreter, in the order in which they got their numbers.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Identities {
    /// All threads but the main thread.
    pub threads: Vec<Origin>,
    /// All objects.
    pub objects: Vec<Identity>,
}

struct Range {
    base: u64,
    size: u64,
    identity: Identity,
}

/// Where functions' addresses start.
const FIRST_FUNCTION: u64 = 0x1000;
/// Where objects begin, if addresses have 64 bits.
const FIRST_OBJECT: u64 = 0x5555_0000_0000;
/// From one function's address to the next one's.
const FUNCTION_STRIDE: u64 = 16;
/// All objects are aligned to this at least.
const MIN_ALIGN: u64 = 16;

/// Gives numbers to identities.
pub(super) struct Interner {
    slots: IdxVec<Slot, Range>,
    slot_of: FxHashMap<Identity, Slot>,
    threads: Vec<Origin>,
    thread_of: FxHashMap<Origin, ThreadId>,
    /// The lowest address that the next object may have.
    free: u64,
    /// No address is greater.
    last: u64,
    gap: u64,
    n_functions: u64,
}

impl Interner {
    pub(super) fn new(program: &Program) -> Self {
        let n_functions = program.functions.len() as u64;
        let functions_end = FIRST_FUNCTION + n_functions * FUNCTION_STRIDE;
        // High addresses are no numbers that programs compute with, so that those that are can be told from others (`dangling`).
        let (first, last) = match program.data_model {
            DataModel::Ilp32 => (functions_end, u64::from(u32::MAX)),
            DataModel::Lp64 => (functions_end.max(FIRST_OBJECT), i64::MAX.cast_unsigned()),
        };
        let gap = gap(program.data_model);
        Self {
            slots: IdxVec::new(),
            slot_of: FxHashMap::default(),
            threads: Vec::new(),
            thread_of: FxHashMap::default(),
            free: (first + gap).next_multiple_of(FIRST_FUNCTION),
            last,
            gap,
            n_functions,
        }
    }

    /// The slot of an object, made if it is new; out of addresses if there is no room for it.
    pub(super) fn slot(&mut self, program: &Program, identity: Identity) -> Result<Slot, Inconclusive> {
        if let Some(slot) = self.slot_of.get(&identity) {
            return Ok(*slot);
        }
        let (size, align) = size_and_align(program, identity);
        let full = || Inconclusive::Bound("the address space is exhausted".to_owned());
        let base = self.free.checked_next_multiple_of(align.max(MIN_ALIGN)).ok_or_else(full)?;
        let end = base.checked_add(size).filter(|end| *end <= self.last - self.gap).ok_or_else(full)?;
        self.free = end + self.gap;
        let slot = self.slots.push(Range { base, size, identity });
        self.slot_of.insert(identity, slot);
        Ok(slot)
    }

    pub(super) fn known_slot(&self, identity: Identity) -> Option<Slot> {
        self.slot_of.get(&identity).copied()
    }
    pub(super) fn base(&self, slot: Slot) -> u64 {
        self.slots[slot].base
    }
    pub(super) fn size(&self, slot: Slot) -> u64 {
        self.slots[slot].size
    }
    pub(super) fn identity(&self, slot: Slot) -> Identity {
        self.slots[slot].identity
    }

    /// The last object that starts at or below `address`, and how far above its start the address is.
    pub(super) fn object_below(&self, address: u64) -> Option<(Slot, u64)> {
        let (mut low, mut high) = (0, self.slots.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.slots[Slot::new(middle)].base <= address { low = middle + 1 } else { high = middle }
        }
        let slot = Slot::new(low.checked_sub(1)?);
        Some((slot, address - self.slots[slot].base))
    }

    pub(super) fn function_address(&self, func: FuncId) -> u64 {
        FIRST_FUNCTION + u64::from(func.0) * FUNCTION_STRIDE
    }

    pub(super) fn function_at(&self, address: u64) -> Option<FuncId> {
        let offset = address.checked_sub(FIRST_FUNCTION)?;
        let index = offset / FUNCTION_STRIDE;
        let exact = offset.is_multiple_of(FUNCTION_STRIDE) && index < self.n_functions;
        exact.then(|| FuncId::new(convert::index(index)))
    }

    /// The id of a thread, made if it is new.
    pub(super) fn thread(&mut self, origin: Origin) -> ThreadId {
        if let Some(id) = self.thread_of.get(&origin) {
            return *id;
        }
        self.threads.push(origin);
        let id = ThreadId::new(self.threads.len());
        self.thread_of.insert(origin, id);
        id
    }

    /// Where a thread comes from; nothing for the main thread.
    pub(super) fn origin(&self, thread: ThreadId) -> Option<Origin> {
        thread.index().checked_sub(1).map(|n| self.threads[n])
    }

    /// An order on threads that does not depend on the order in which they were met: creators first, then by site
    /// and count. Choices among threads are counted in it, so that they mean the same to every interpreter.
    pub(super) fn structural_order(&self, left: ThreadId, right: ThreadId) -> Ordering {
        self.path(left).cmp(&self.path(right))
    }

    fn path(&self, thread: ThreadId) -> Vec<(Site, u32)> {
        let chain = std::iter::successors(self.origin(thread), |o| self.origin(o.creator));
        let mut path: Vec<_> = chain.map(|o| (o.site, o.count)).collect();
        path.reverse();
        path
    }

    pub(super) fn identities(&self) -> Identities {
        Identities { threads: self.threads.clone(), objects: self.slots.iter().map(|r| r.identity).collect() }
    }

    /// Gives the identities the numbers they have in `known`; an error if `known` is not a list of distinct
    /// identities that starts like our own.
    pub(super) fn adopt(&mut self, program: &Program, known: &Identities) -> Result<(), Inconclusive> {
        let malformed = || {
            Inconclusive::CheckFailed("the identities of a proof should be distinct and in order".to_owned())
        };
        for (n, origin) in known.threads.iter().enumerate() {
            let ok = origin.creator.index() <= n && self.thread(*origin).index() == n + 1;
            ok.then_some(()).ok_or_else(malformed)?;
        }
        for (n, identity) in known.objects.iter().enumerate() {
            let slot = self.slot(program, *identity)?;
            (slot.index() == n).then_some(()).ok_or_else(malformed)?;
        }
        Ok(())
    }
}

fn size_and_align(program: &Program, identity: Identity) -> (u64, u64) {
    match identity {
        Identity::Static(object) | Identity::ThreadLocal(object, _) => {
            (program.objects[object].size, program.objects[object].align)
        }
        Identity::Local { func, var, .. } => match program.functions[func].vars[var].kind {
            VarKind::Memory { size, align, .. } => (size, align),
            VarKind::Register(_) => unreachable!("a register should have no address"),
        },
        Identity::Heap { room, site, .. } | Identity::Alloca { room, site, .. } => {
            (room, allocated_align(program, site))
        }
    }
}

/// How many bytes are free behind an object, at least. From inside of an object no distance below this leads into another one: under 64 bits no index of 32 bits into elements of up
/// to 256 bytes; 32 bits have no room for that.
pub fn gap(model: DataModel) -> u64 {
    match model {
        DataModel::Ilp32 => 0x100,
        DataModel::Lp64 => 1 << 40,
    }
}

/// The alignment that the allocation at a site asks for.
fn allocated_align(program: &Program, site: Site) -> u64 {
    match operation(program, site) {
        Some(Op::Alloc { align, .. }) => *align,
        _ => MIN_ALIGN,
    }
}

fn operation(program: &Program, site: Site) -> Option<&Op> {
    let location = program.functions.get(site.func)?.locations.get(site.loc)?;
    match &location.action {
        Action::Ops { ops, .. } => ops.get(site.op as usize),
        _ => None,
    }
}
