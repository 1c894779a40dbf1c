//! What sits in store buffers while an execution is told: which store waits since when, which loads and stores overtook it, who read a stale
//! value meanwhile, and which fence would forbid it.
//!
//! A load that follows a store in the program and reads memory before the store is there has *overtaken* it; so has, under PSO, a later store
//! that leaves earlier. Only pairs whose first store another thread missed (it read the place meanwhile) explain the execution; they are named
//! first, and others only if there is none.

use program::interp::{Place, Position, ThreadId};

/// No more pairs are explained.
const MOST_PAIRS: usize = 4;

/// A store on its way to memory.
pub(super) struct Pending {
    pub(super) thread: ThreadId,
    pub(super) place: Place,
    pub(super) name: String,
    pub(super) value: String,
    pub(super) position: Option<Position>,
    /// The number of the step that made it.
    pub(super) since: usize,
    /// What overtook it first: words for the access, its step and its line.
    overtaken: Option<(String, usize, u32)>,
    /// True if another thread read the place meanwhile.
    missed: bool,
    /// The step in which it reached memory.
    left: Option<usize>,
}

/// All stores that were buffered in an execution.
#[derive(Default)]
pub(super) struct Buffers {
    stores: Vec<Pending>,
}

impl Buffers {
    /// `thread` made a store that is not in memory yet.
    pub(super) fn buffered(
        &mut self,
        thread: ThreadId,
        place: Place,
        (name, value): (String, String),
        position: Option<Position>,
        since: usize,
    ) {
        let (overtaken, missed, left) = (None, false, None);
        self.stores.push(Pending { thread, place, name, value, position, since, overtaken, missed, left });
    }

    /// `thread` read `place`; returns what is worth saying about where the value comes from.
    pub(super) fn read(
        &mut self,
        thread: ThreadId,
        place: Place,
        name: &str,
        step: usize,
        line: u32,
    ) -> Option<Source> {
        let waiting = |s: &&mut Pending| s.left.is_none();
        if self.stores.iter().any(|s| s.left.is_none() && s.thread == thread && s.place == place) {
            return Some(Source::OwnBuffer);
        }
        let mut stale = None;
        for store in self.stores.iter_mut().filter(waiting) {
            if store.thread == thread {
                store.overtaken.get_or_insert((format!("load of `{name}`"), step, line));
            } else if store.place == place {
                store.missed = true;
                stale =
                    Some(Source::Stale { by: store.thread, value: store.value.clone(), since: store.since });
            }
        }
        stale
    }

    /// The oldest store of `thread` to `place` reached memory; returns which it was.
    pub(super) fn left(&mut self, thread: ThreadId, place: Place, step: usize) -> Option<&Pending> {
        let is_waiting = |s: &Pending| s.left.is_none() && s.thread == thread;
        let at = self.stores.iter().position(|s| is_waiting(s) && s.place == place)?;
        let line = self.stores[at].position.map_or(0, |p| p.span.line);
        let (name, made) = (self.stores[at].name.clone(), self.stores[at].since);
        for older in self.stores[..at].iter_mut().filter(|s| is_waiting(s)) {
            older.overtaken.get_or_insert((format!("store to `{name}`"), made, line));
        }
        self.stores[at].left = Some(step);
        Some(&self.stores[at])
    }

    /// Sentences about the pairs that were reordered.
    pub(super) fn explain(&self, name: impl Fn(ThreadId) -> String) -> Vec<String> {
        let overtaken = |s: &&Pending| s.overtaken.is_some();
        let decisive: Vec<&Pending> = self.stores.iter().filter(overtaken).filter(|s| s.missed).collect();
        let shown =
            if decisive.is_empty() { self.stores.iter().filter(overtaken).collect() } else { decisive };
        shown.into_iter().take(MOST_PAIRS).map(|store| sentence(store, name(store.thread))).collect()
    }
}

/// Where a value comes from that is not simply memory's last one.
pub(super) enum Source {
    /// The thread's own store, which is not in memory yet.
    OwnBuffer,
    /// Memory, although another thread has a newer value in its buffer.
    Stale {
        /// Whose buffer.
        by: ThreadId,
        /// The newer value.
        value: String,
        /// The step that made it.
        since: usize,
    },
}

fn sentence(store: &Pending, thread: String) -> String {
    let (access, step, line) = store.overtaken.clone().unwrap_or_default();
    let arrived = match store.left {
        Some(left) => format!("in memory at step {left}"),
        None => "never in memory".to_owned(),
    };
    let at = store.position.map_or(0, |p| p.span.line);
    let kind = if access.starts_with("load") { "a full fence" } else { "a store barrier or release order" };
    format!(
        "{thread}'s {access} (step {step}) overtook its store to `{}` (step {}, {arrived}); {kind} between lines {at} and {line} forbids this",
        store.name, store.since
    )
}
