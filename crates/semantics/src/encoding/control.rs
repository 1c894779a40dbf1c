//! The control part of a state: where every thread is. What is not control is data, and lives in state variables.
//!
//! Two states with equal control differ in the values of the same variables only, which is what makes it the key under
//! which nodes of a search tree are compared. It holds: each thread's call stack (a caller stands at its call), whether it
//! has finished or is detached, how often it has allocated and created at each site (so that new objects and threads
//! have structural identities), and the atomic section.

use base::Idx;
use program::interp::{Identity, Site, ThreadId};
use program::{FuncId, LocId};
use std::sync::Arc;

/// Where every thread is.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct GlobalLocation {
    /// All threads that have not been forgotten, by id.
    pub threads: Vec<Arc<Thread>>,
    /// Who is in an atomic section, and how deep.
    pub atomic: Option<(ThreadId, u32)>,
    /// All objects that have been allocated, sorted.
    pub objects: Vec<Identity>,
}

/// Where one thread is.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Thread {
    /// Its id.
    pub id: ThreadId,
    /// Its call stack, innermost last; empty once it has finished.
    pub frames: Vec<Frame>,
    /// True if no thread joins it.
    pub detached: bool,
    /// How many objects and threads it has made at each site, sorted by site.
    pub counts: Vec<(Site, u32)>,
}

/// One call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Frame {
    /// The function.
    pub func: FuncId,
    /// Its next action; below the innermost frame, the call that is under way.
    pub loc: LocId,
}

impl GlobalLocation {
    /// One thread at the entry.
    pub fn initial(func: FuncId, loc: LocId) -> Self {
        let main = Thread {
            id: ThreadId::MAIN,
            frames: vec![Frame { func, loc }],
            detached: false,
            counts: Vec::new(),
        };
        Self { threads: vec![Arc::new(main)], atomic: None, objects: Vec::new() }
    }

    /// A thread that has not been forgotten.
    pub fn thread(&self, id: ThreadId) -> Option<&Thread> {
        self.position(id).map(|at| &*self.threads[at])
    }

    /// The same, to be changed.
    pub fn thread_mut(&mut self, id: ThreadId) -> &mut Thread {
        let at = self.position(id).expect("a thread that moves should be in the control");
        Arc::make_mut(&mut self.threads[at])
    }

    fn position(&self, id: ThreadId) -> Option<usize> {
        self.threads.iter().position(|t| t.id == id)
    }

    /// Adds a thread at the start of a function.
    pub fn start(&mut self, id: ThreadId, func: FuncId, loc: LocId) {
        let thread = Thread { id, frames: vec![Frame { func, loc }], detached: false, counts: Vec::new() };
        let at = self.threads.partition_point(|t| t.id < id);
        self.threads.insert(at, Arc::new(thread));
    }

    /// Adds an allocated object.
    pub fn add_object(&mut self, object: Identity) {
        if let Err(at) = self.objects.binary_search(&object) {
            self.objects.insert(at, object);
        }
    }

    /// Ends the lives of the allocated objects of a thread's frames from `depth` on.
    pub fn end_frames(&mut self, id: ThreadId, from: u32) {
        self.objects.retain(
            |o| !matches!(o, Identity::Alloca { thread, depth, .. } if *thread == id && *depth >= from),
        );
    }

    /// How many objects a frame has allocated at a site.
    pub fn n_allocas(&self, id: ThreadId, in_frame: u32, at: Site) -> u32 {
        let is_one = |o: &&Identity| {
            matches!(o, Identity::Alloca { thread, depth, site, .. }
            if *thread == id && *depth == in_frame && *site == at)
        };
        u32::try_from(self.objects.iter().filter(is_one).count()).expect("objects should be few")
    }

    /// Forgets a thread: it was joined, or finished detached.
    pub fn forget(&mut self, id: ThreadId) {
        self.threads.retain(|t| t.id != id);
    }

    /// Threads that have an action left and may take it, as far as control can tell.
    pub fn movable(&self) -> impl Iterator<Item = ThreadId> {
        let owner = self.atomic.map(|(owner, _)| owner);
        let able =
            self.threads.iter().filter(move |t| !t.frames.is_empty() && owner.is_none_or(|o| o == t.id));
        able.map(|t| t.id)
    }
}

impl Thread {
    /// Returns true if it has ended.
    pub fn is_finished(&self) -> bool {
        self.frames.is_empty()
    }

    /// The innermost frame.
    pub fn top(&self) -> Frame {
        *self.frames.last().expect("a thread that moves should have a frame")
    }

    /// How many frames are below the innermost one.
    pub fn depth(&self) -> u32 {
        u32::try_from(self.frames.len()).expect("frames should be few") - 1
    }

    /// Counts one more object or thread made at `site`; tells how many there were.
    pub fn count(&mut self, site: Site) -> u32 {
        match self.counts.binary_search_by_key(&site, |(s, _)| *s) {
            Ok(at) => {
                self.counts[at].1 += 1;
                self.counts[at].1 - 1
            }
            Err(at) => {
                self.counts.insert(at, (site, 1));
                0
            }
        }
    }
}

impl std::fmt::Display for GlobalLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, thread) in self.threads.iter().enumerate() {
            if n > 0 {
                write!(f, " ")?;
            }
            write!(f, "{}:", thread.id.index())?;
            for frame in &thread.frames {
                write!(f, "{}.{}", frame.func, frame.loc)?;
            }
            if thread.is_finished() {
                write!(f, "done")?;
            }
        }
        Ok(())
    }
}
