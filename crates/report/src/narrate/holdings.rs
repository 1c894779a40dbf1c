//! Which thread holds which lock, and since where: read off the events of an execution.
//!
//! A lock's words live in memory and carry their owner's handle (docs/SOUNDNESS.md A7), so the thread that writes its own handle into
//! the first word holds the lock, and writing zero there releases it. A reader is counted in the second word.

use program::SyncKind;
use program::interp::{Event, Interp, Place, Position, ThreadId};

/// A lock that is held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Held {
    /// Its first word.
    pub(super) lock: Place,
    /// The thread that holds it.
    pub(super) holder: ThreadId,
    /// True if it is held for reading only.
    pub(super) reading: bool,
    /// Where it was taken.
    pub(super) since: Option<Position>,
}

/// All locks that are held.
#[derive(Clone, Default, Debug)]
pub(super) struct Holdings {
    held: Vec<Held>,
}

impl Holdings {
    /// What `thread` holds.
    pub(super) fn of(&self, thread: ThreadId) -> impl Iterator<Item = &Held> {
        self.held.iter().filter(move |held| held.holder == thread)
    }

    /// The holders of `lock`.
    pub(super) fn holders(&self, lock: Place) -> impl Iterator<Item = &Held> {
        self.held.iter().filter(move |held| held.lock == lock)
    }

    /// `thread` took a step, at `position`, in which `events` happened.
    pub(super) fn step(&mut self, thread: ThreadId, position: Option<Position>, events: &[Event]) {
        let sync = events.iter().find_map(|event| match event {
            Event::Sync { kind, object: Some(object) } => Some((*kind, *object)),
            _ => None,
        });
        let writes = events.iter().filter_map(|event| match event {
            Event::Write { place: place @ Place::Memory { .. }, value, .. } => Some((*place, *value)),
            _ => None,
        });
        for (place, value) in writes {
            if value == Some(0) {
                self.held.retain(|held| held.lock != place || held.reading);
            }
            let Some((kind, lock)) = sync else { continue };
            match kind {
                SyncKind::Lock | SyncKind::TryLock | SyncKind::WriteLock
                    if place == lock && value == Some(Interp::handle(thread)) =>
                {
                    self.take(Held { lock, holder: thread, reading: false, since: position });
                }
                SyncKind::ReadLock if has_grown(events, place, value) => {
                    self.take(Held { lock, holder: thread, reading: true, since: position });
                }
                SyncKind::RwUnlock => {
                    self.held.retain(|held| held.lock != lock || held.holder != thread);
                }
                _ => {}
            }
        }
    }

    fn take(&mut self, new: Held) {
        if self.held.iter().all(|held| (held.lock, held.holder) != (new.lock, new.holder)) {
            self.held.push(new);
        }
    }
}

/// Returns true if the value written to `place` is greater than the one read there before.
fn has_grown(events: &[Event], place: Place, written: Option<u128>) -> bool {
    events.iter().any(
        |event| matches!(event, Event::Read { place: from, value, .. } if *from == place && Some(*value) < written),
    )
}
