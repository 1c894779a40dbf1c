//! Describes a deadlock: which thread waits for what, which one holds it, and in which cycle.

use super::{Narrator, shown_position};
use crate::lanes::Wait;
use base::Idx;
use program::SyncKind;
use program::interp::{Awaited, Position, State, ThreadId, span_name};

impl Narrator<'_, '_> {
    /// Where each thread waits, for what, and which thread holds that.
    pub fn deadlock(&mut self, state: &State) -> Vec<String> {
        let mut lines = vec!["deadlock: no thread can go on".to_owned()];
        let unfinished = state.threads().filter(|(_, thread)| !thread.is_finished()).map(|(id, _)| id);
        let unfinished: Vec<ThreadId> = unfinished.collect();
        for thread in &unfinished {
            let name = self.thread_name(*thread).to_owned();
            let awaited = self.interp.awaited(state, *thread);
            let wait = self.wait(state, *thread, awaited.as_ref());
            self.waits.push(wait);
            let what = awaited.map(|awaited| self.awaited(&awaited, *thread)).unwrap_or_default();
            let place = shown_position(self.interp, state, *thread).map(|p| self.place_and_text(p));
            let place = place.map(|place| format!(" at {place}")).unwrap_or_default();
            lines.push(format!("{name} waits{what}{place}"));
            lines.extend(self.holdings_of(*thread).into_iter().map(|held| format!("  {held}")));
        }
        lines.extend(unfinished.iter().find_map(|thread| self.cycle(state, *thread)));
        lines
    }

    fn wait(&self, state: &State, thread: ThreadId, awaited: Option<&Awaited>) -> Wait {
        let position = shown_position(self.interp, state, thread);
        let file = position.and_then(|p| self.program().files.get(p.span.file));
        let lock = awaited.and_then(|awaited| awaited.object);
        let holders = lock.into_iter().flat_map(|lock| self.holdings.holders(lock));
        Wait {
            thread: thread.index(),
            file: file.cloned().unwrap_or_default(),
            line: position.map_or(0, |p| p.span.line),
            object: lock.and_then(|lock| self.name(lock, thread)),
            end_of: awaited.and_then(|awaited| awaited.thread).map(Idx::index),
            holders: holders.map(|held| held.holder.index()).collect(),
        }
    }

    /// ` for mutex b, held by main since prog.c:4`.
    fn awaited(&self, awaited: &Awaited, thread: ThreadId) -> String {
        let name = awaited.object.and_then(|object| self.name(object, thread));
        let name = name.map(|name| format!(" {name}")).unwrap_or_default();
        let what = match awaited.kind {
            SyncKind::Lock | SyncKind::TryLock | SyncKind::Unlock => format!(" for lock{name}"),
            SyncKind::ReadLock => format!(" to read-lock{name}"),
            SyncKind::WriteLock | SyncKind::RwUnlock => format!(" to write-lock{name}"),
            SyncKind::SemWait | SyncKind::SemPost => format!(" for semaphore{name}"),
            SyncKind::Barrier => format!(" at barrier{name}"),
            SyncKind::CondWait | SyncKind::CondSignal => format!(" for a signal of{name}"),
            SyncKind::Once => format!(" for once routine{name}"),
            SyncKind::Create => String::new(),
            SyncKind::Join => match awaited.thread {
                Some(joined) => format!(" for the end of {}", self.thread_name(joined)),
                None => " for the end of a thread".to_owned(),
            },
        };
        let holders = awaited.object.into_iter().flat_map(|lock| self.holdings.holders(lock)).map(|held| {
            let by = if held.holder == thread { "itself" } else { self.thread_name(held.holder) };
            format!("held by {by}{}", self.since(held.since))
        });
        let holders: Vec<String> = holders.collect();
        if holders.is_empty() { what } else { format!("{what}, {}", holders.join(" and ")) }
    }

    /// `holds a since prog.c:3`, for each lock.
    pub(super) fn holdings_of(&self, thread: ThreadId) -> Vec<String> {
        let line = |held: &super::holdings::Held| {
            let name = self.name(held.lock, thread).unwrap_or_default();
            let reading = if held.reading { " for reading" } else { "" };
            format!("holds {name}{reading}{}", self.since(held.since))
        };
        self.holdings.of(thread).map(line).collect()
    }

    fn since(&self, position: Option<Position>) -> String {
        position.map(|p| format!(" since {}", span_name(self.program(), p.span))).unwrap_or_default()
    }

    /// `prog.c:12: pthread_mutex_lock(&a);`
    pub(super) fn place_and_text(&mut self, position: Position) -> String {
        let (place, text) = (span_name(self.program(), position.span), self.source(position));
        if text.is_empty() { place } else { format!("{place}: {text}") }
    }

    /// The first cycle of threads, each waiting for what the next one holds (or for its end), that `first` is part of.
    fn cycle(&self, state: &State, first: ThreadId) -> Option<String> {
        let mut way: Vec<(ThreadId, String)> = Vec::new();
        self.walk(state, first, first, &mut way).then(|| {
            let names = way.iter().map(|(thread, link)| format!("{} → {link}", self.thread_name(*thread)));
            let names: Vec<String> = names.collect();
            format!("cycle: {} → {}", names.join(" → "), self.thread_name(first))
        })
    }

    /// Depth-first search for a way from `at` back to `first`; `way` is the way so far.
    fn walk(&self, state: &State, first: ThreadId, at: ThreadId, way: &mut Vec<(ThreadId, String)>) -> bool {
        if way.iter().any(|(thread, _)| *thread == at) {
            return at == first;
        }
        let Some(awaited) = self.interp.awaited(state, at) else { return false };
        let holders = awaited.object.into_iter().flat_map(|lock| self.holdings.holders(lock));
        let mut next: Vec<(ThreadId, String)> = Vec::new();
        for held in holders {
            next.push((held.holder, self.name(held.lock, at).unwrap_or_default()));
        }
        next.extend(awaited.thread.map(|joined| (joined, "join".to_owned())));
        next.into_iter().any(|(thread, link)| {
            way.push((at, link));
            let found = self.walk(state, first, thread, way);
            if !found {
                way.pop();
            }
            found
        })
    }
}
