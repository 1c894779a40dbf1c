//! One thread alone: a state in which what other threads may write is unknown.
//!
//! Under a weak memory model there is no one memory, so an execution is no sequence of states. But what a *thread* does is determined
//! by its reads: it can be run alone, in a state of its own, if someone says what each read of shared memory returns. Such a state
//! has indeterminate bytes wherever memory is shared; a read then asks the [`Chooser`](super::Chooser), and after the step the bytes are
//! made indeterminate again. Here are the few operations that this needs, beyond [`Interp::step`].

use super::memory::Content;
use super::state::Status;
use super::{Identity, Interp, State, ThreadId};
use base::Inconclusive;

impl Interp<'_> {
    /// Replaces the bytes of a live object from `offset` on; `None` is indeterminate.
    pub fn set_bytes(&self, state: &mut State, object: Identity, offset: u64, bytes: &[Option<u8>]) {
        if let Some(content) = self.known_slot(object).and_then(|slot| state.memory.get_mut(slot)) {
            content.write(offset, bytes);
        }
    }

    /// Makes all bytes of a live object indeterminate.
    pub fn forget_bytes(&self, state: &mut State, object: Identity) {
        if let Some(content) = self.known_slot(object).and_then(|slot| state.memory.get_mut(slot)) {
            *content = Content::filled(content.size(), None);
        }
    }

    /// An object that another thread has allocated comes to life here, too, with indeterminate bytes.
    pub fn introduce(&self, state: &mut State, object: Identity, size: u64) -> Result<(), Inconclusive> {
        let slot = self.slot(object)?;
        state.memory.insert(slot, Content::filled(size, None));
        Ok(())
    }

    /// Another thread has ended, with this result.
    pub fn finish_elsewhere(&self, state: &mut State, thread: ThreadId, result: Option<u128>) {
        if let Some(thread) = state.thread_mut(thread) {
            thread.status = Status::Finished(result);
            thread.frames.clear();
        }
    }

    /// The thread that a handle names, unless it has been forgotten.
    pub fn named(&self, state: &State, handle: u128) -> Option<ThreadId> {
        Self::thread_of_handle(state, handle)
    }
}
