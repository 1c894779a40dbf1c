//! The two sides that a step talks to: a [`Chooser`] that resolves what the program leaves open, and an [`Observer`]
//! that is told what happened.

use super::{Flow, Identity, ThreadId};
use crate::{FuncId, Order, SyncKind, VarId, Width};

/// What a value is chosen for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// An input: [`Op::Havoc`](crate::Op::Havoc) of this register.
    Input(Place),
    /// Something indeterminate is read for the first time. The answer is stored, so that later reads agree.
    Indeterminate(Place),
    /// Which of so many waiting threads a signal wakes: a number below that, in an order of the threads that does not
    /// depend on the interpreter.
    Waiter {
        /// How many threads wait; at least two.
        n_waiters: usize,
    },
    /// Which store leaves the thread's buffer: 0 for none, so that the thread goes on with its next action; `n` for the `n`-th of
    /// those that may leave, which is then the whole step.
    Leave {
        /// How many stores may leave; at least one.
        n_leaving: usize,
        /// True if the next action is possible now.
        may_go_on: bool,
    },
}

/// Resolves what the program leaves open.
///
/// A run is a function of its schedule and of the answers given here, in order: that is what makes a
/// trace replayable.
pub trait Chooser {
    /// A value of `width` bits (greater ones are cut; for [`Choice::Waiter`], a number below `n_waiters`), or nothing,
    /// which ends the step with [`StepResult::NoChoice`](super::StepResult::NoChoice).
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128>;
}

/// Offers no value at all.
pub struct NoChooser;

impl Chooser for NoChooser {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        None
    }
}

/// Where a value lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// In a register of the running frame (of the caller's, for a result that is returned).
    Register {
        /// The frame's function.
        func: FuncId,
        /// The register.
        var: VarId,
    },
    /// In memory.
    Memory {
        /// In this object
        object: Identity,
        /// at this offset.
        offset: u64,
    },
}

/// Something that happened in a step, told in the order of happening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A value was read.
    Read {
        /// Where.
        place: Place,
        /// What.
        value: u128,
        /// How wide.
        width: Width,
        /// How ordered; plain for registers.
        order: Order,
    },
    /// Bytes were read of which some were never set, and handed on as they are.
    ReadUnset {
        /// Where.
        place: Place,
        /// How many; not 0.
        len: u64,
        /// How ordered.
        order: Order,
    },
    /// A value was written.
    Write {
        /// Where.
        place: Place,
        /// What; `None` if it is indeterminate.
        value: Option<u128>,
        /// How wide.
        width: Width,
        /// How ordered; plain for registers.
        order: Order,
        /// True if it is in the thread's buffer only.
        buffered: bool,
    },
    /// A store has left the thread's buffer and reached memory.
    Left {
        /// Where.
        place: Place,
        /// What; `None` is indeterminate.
        bytes: Vec<Option<u8>>,
    },
    /// An expression was evaluated; told after its reads, if the observer [wants it](Observer::wants_flow).
    Evaluated(Flow),
    /// A value was chosen.
    Chosen {
        /// For what.
        what: Choice,
        /// The value.
        value: u128,
        /// How wide.
        width: Width,
    },
    /// Bytes were copied.
    Copied {
        /// To here.
        dst: Place,
        /// From here.
        src: Place,
        /// How many; not 0.
        len: u64,
    },
    /// Bytes were set.
    Filled {
        /// Here.
        dst: Place,
        /// How many; not 0.
        len: u64,
        /// The value of each.
        byte: u8,
    },
    /// An object was allocated.
    Allocated {
        /// Which.
        object: Identity,
        /// Its size in bytes.
        size: u64,
    },
    /// An object was given another size, and stayed where it is: its bytes were written, as far as it keeps them.
    Resized {
        /// Which.
        object: Identity,
        /// Its new size in bytes.
        size: u64,
    },
    /// An object was freed.
    Freed {
        /// Which.
        object: Identity,
    },
    /// A transaction with a meaning for synchronisation begins.
    Sync {
        /// What it is.
        kind: SyncKind,
        /// What it is done to, if that is an address inside an object.
        object: Option<Place>,
    },
    /// A function was called.
    Called {
        /// Which.
        func: FuncId,
    },
    /// A call has ended.
    Returned {
        /// Which function's.
        func: FuncId,
    },
    /// A thread was created.
    Started {
        /// Which.
        thread: ThreadId,
        /// Its start routine.
        func: FuncId,
    },
    /// The running thread has ended.
    Finished {
        /// Which it is.
        thread: ThreadId,
    },
    /// A thread was joined.
    Joined {
        /// Which.
        thread: ThreadId,
    },
    /// A waiting thread was woken.
    Woken {
        /// Which.
        thread: ThreadId,
    },
}

/// Is told what happens. After [`StepResult::Blocked`](super::StepResult::Blocked) the step's events other than
/// [`Event::Chosen`] did not happen.
pub trait Observer {
    /// Returns true if events are wanted at all; making them costs time.
    fn is_active(&self) -> bool {
        true
    }
    /// Returns true if [`Event::Evaluated`] is wanted, too.
    fn wants_flow(&self) -> bool {
        false
    }
    /// Something happened.
    fn event(&mut self, event: Event);
}

/// Wants to know nothing.
pub struct NoObserver;

impl Observer for NoObserver {
    fn is_active(&self) -> bool {
        false
    }
    fn event(&mut self, _event: Event) {}
}

impl Observer for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}
