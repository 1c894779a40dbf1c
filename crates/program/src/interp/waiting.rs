//! What a thread is waiting for, for reports about deadlocks.

use super::eval::Eval;
use super::{Interp, Place, State, ThreadId};
use crate::{Action, SyncKind};
use base::convert::low64;

/// What a thread's next step waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Awaited {
    /// The kind of synchronisation.
    pub kind: SyncKind,
    /// The lock, semaphore, barrier or condition variable, if its address is inside an object.
    pub object: Option<Place>,
    /// The thread that is joined.
    pub thread: Option<ThreadId>,
}

impl Interp<'_> {
    /// What the next step of `thread` synchronises with, whether or not it has to wait for it.
    pub fn awaited(&self, state: &State, thread: ThreadId) -> Option<Awaited> {
        let frame = state.thread(thread)?.top()?;
        let action = &self.program().functions[frame.func].locations[frame.loc].action;
        let Action::Ops { sync: Some(sync), .. } = action else { return None };
        let value = Eval::new(self, state, thread, None).value(&sync.object).ok();
        let is_join = sync.kind == SyncKind::Join;
        let joined = value.filter(|_| is_join).and_then(|handle| Self::thread_of_handle(state, handle));
        let address = value.filter(|_| !is_join);
        let object = address.and_then(|address| self.place_at(state, low64(address)));
        Some(Awaited { kind: sync.kind, object, thread: joined })
    }
}
