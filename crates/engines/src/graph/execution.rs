//! Execution graphs: what happened, and who read from whom.

use super::relation::{Relation, Set, members};
use program::memory_model::{Barrier, MachineFence};
use program::{FuncId, LocId, MemoryModel, Order};
use semantics::alone::Cell;
use std::sync::Arc;

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The initial value of a cell.
    Initial,
    /// A load.
    Read,
    /// A store.
    Write,
    /// A fence of the machine.
    Fence(MachineFence),
    /// A fence of C11.
    Barrier(Barrier),
}

/// One event of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// The position of its thread.
    pub thread: usize,
    /// Where in the program it comes from; the initial values come from nowhere.
    pub origin: Option<(FuncId, LocId)>,
    /// The number of the step that made it.
    pub step: usize,
    /// What it does.
    pub kind: Kind,
    /// The position of the cell it accesses; of no meaning for fences.
    pub cell: usize,
    /// What is read or written; `None` if it is indeterminate.
    pub value: Option<u128>,
    /// Its order, as the machine knows it.
    pub order: Order,
    /// The reads that its address depends on.
    pub address: Set,
    /// The reads that its value depends on.
    pub data: Set,
    /// The reads that branches before it depend on.
    pub control: Set,
    /// True if it belongs to a read-modify-write, also to one that does not write.
    pub atomic: bool,
    /// For the write of a read-modify-write: its read.
    pub read_part: Option<usize>,
}

/// Some events with the relations that determine what every read returns.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The model, whose machine the events are those of.
    pub model: MemoryModel,
    /// The events.
    pub events: Vec<Event>,
    /// For each event those of the same thread before it, and what happened before that thread began, or in threads that were joined.
    pub before: Vec<Set>,
    /// For each event: the write that it reads from, if it is a read (and this is settled).
    pub reads_from: Vec<Option<usize>>,
    /// For each cell its writes in the order in which they reach memory, the initial value first.
    pub coherence: Vec<Arc<Vec<usize>>>,
    /// The cells.
    pub cells: Arc<Vec<Cell>>,
}

impl Execution {
    /// Nothing has happened.
    pub fn new(model: MemoryModel) -> Self {
        let (events, before, reads_from) = (Vec::new(), Vec::new(), Vec::new());
        Self { model, events, before, reads_from, coherence: Vec::new(), cells: Arc::default() }
    }

    /// Adds an event behind those of `before`.
    pub fn add(&mut self, event: Event, before: Set) -> usize {
        self.events.push(event);
        self.before.push(before);
        self.reads_from.push(None);
        self.events.len() - 1
    }

    /// The events of these kinds.
    pub fn select(&self, wanted: impl Fn(&Event) -> bool) -> Set {
        self.events.iter().enumerate().filter(|(_, event)| wanted(event)).fold(0, |set, (n, _)| set | 1 << n)
    }

    /// The relations that models speak about.
    pub fn relations(&self) -> Relations {
        Relations::of(self)
    }

    /// Returns true if the events from number `first` on come after all others: each of them is a fence, a read of the write that is last in its cell's coherence order, or that
    /// last write itself (a read-modify-write's right behind the one that it has read). All relations of all models lead from these events to each other only, and there from a
    /// read to its write, so that no cycle goes through them: if the execution without them is allowed, this one is.
    pub fn ends_with(&self, first: usize) -> bool {
        let is_last = |write: usize| {
            let order = &self.coherence[self.events[write].cell];
            order.iter().rev().take_while(|other| **other != write).all(|other| *other >= first)
        };
        let is_behind = |write: usize, read: usize| {
            let order = &self.coherence[self.events[write].cell];
            let place = order.iter().position(|other| *other == write);
            self.reads_from[read]
                .is_none_or(|source| place.is_some_and(|at| at > 0 && order[at - 1] == source))
        };
        (first..self.events.len()).all(|event| match self.events[event].kind {
            // A step may read what it writes afterwards, which no model allows.
            Kind::Read => self.reads_from[event].is_none_or(|write| write < event && is_last(write)),
            Kind::Write => {
                is_last(event) && self.events[event].read_part.is_none_or(|read| is_behind(event, read))
            }
            Kind::Initial | Kind::Fence(_) | Kind::Barrier(_) => true,
        })
    }

    /// The events that `event` comes after in program order and reading, however often.
    pub fn causes(&self, event: usize) -> Set {
        let mut found: Set = 0;
        let mut queue = vec![event];
        while let Some(event) = queue.pop() {
            let from = self.reads_from[event].map_or(0, |write| 1 << write);
            let new = (self.before[event] | from) & !found;
            found |= new;
            queue.extend(members(new));
        }
        found
    }
}

/// Coherence, as a relation.
fn coherence(x: &Execution) -> Relation {
    let mut co = Relation::empty(x.events.len());
    for order in &x.coherence {
        let mut later: Set = 0;
        for write in order.iter().rev() {
            members(later).for_each(|after| co.add(*write, after));
            later |= 1 << write;
        }
    }
    co
}

/// The sets and relations of an execution, under the names of herd's models.
pub struct Relations {
    /// How many events there are.
    pub n: usize,
    /// Writes, the initial ones included.
    pub w: Set,
    /// Reads.
    pub r: Set,
    /// Reads and writes.
    pub m: Set,
    /// Initial writes.
    pub iw: Set,
    /// Fences.
    pub f: Set,
    /// Program order.
    pub po: Relation,
    /// Program order of accesses.
    pub pom: Relation,
    /// Program order of accesses to one cell.
    pub po_loc: Relation,
    /// Accesses of one cell.
    pub loc: Relation,
    /// Events of different threads.
    pub ext: Relation,
    /// Address dependencies.
    pub addr: Relation,
    /// Data dependencies.
    pub data: Relation,
    /// Control dependencies.
    pub ctrl: Relation,
    /// The two parts of read-modify-writes.
    pub rmw: Relation,
    /// Reads from.
    pub rf: Relation,
    /// Coherence.
    pub co: Relation,
    /// From reads: a read and the writes that come after the one it reads from.
    pub fr: Relation,
    /// `rf` between threads.
    pub rfe: Relation,
    /// `co` between threads.
    pub coe: Relation,
    /// `fr` between threads.
    pub fre: Relation,
}

impl Relations {
    fn of(x: &Execution) -> Self {
        let n = x.events.len();
        let w = x.select(|e| matches!(e.kind, Kind::Write | Kind::Initial));
        let r = x.select(|e| e.kind == Kind::Read);
        let iw = x.select(|e| e.kind == Kind::Initial);
        let f = x.select(|e| matches!(e.kind, Kind::Fence(_) | Kind::Barrier(_)));
        let m = w | r;
        let mut cells = vec![0; x.cells.len()];
        let mut threads = vec![0; 1 + x.events.iter().map(|e| e.thread).max().unwrap_or(0)];
        for (at, event) in x.events.iter().enumerate() {
            if m >> at & 1 == 1 {
                cells[event.cell] |= 1 << at;
            }
            if iw >> at & 1 == 0 {
                threads[event.thread] |= 1 << at;
            }
        }
        let all = if n == 128 { Set::MAX } else { (1 << n) - 1 };
        let rows = |row: &dyn Fn(usize, &Event) -> Set| {
            x.events.iter().enumerate().map(|(at, event)| row(at, event)).collect::<Relation>()
        };
        let access = |at: usize| m >> at & 1 == 1;
        let loc = rows(&|at, e| if access(at) { cells[e.cell] } else { 0 });
        let ext = rows(&|at, e| all & !if iw >> at & 1 == 1 { iw } else { threads[e.thread] });
        let po = x.before.iter().copied().collect::<Relation>().inverse();
        let addr = rows(&|_, e| e.address).inverse();
        let data = rows(&|_, e| e.data).inverse();
        let ctrl = rows(&|_, e| e.control).inverse();
        let rmw = rows(&|_, e| e.read_part.map_or(0, |read| 1 << read)).inverse();
        let sources = x.reads_from.iter().map(|from| from.map_or(0, |write| 1 << write));
        let rf = sources.collect::<Relation>().inverse();
        let co = coherence(x);
        let fr = rf.inverse().then(&co).minus(&Relation::identity(n, all));
        let (rfe, coe, fre) = (rf.and(&ext), co.and(&ext), fr.and(&ext));
        let pom = po.within(m, m);
        let po_loc = pom.and(&loc);
        Self {
            n,
            w,
            r,
            m,
            iw,
            f,
            po,
            pom,
            po_loc,
            loc,
            ext,
            addr,
            data,
            ctrl,
            rmw,
            rf,
            co,
            fr,
            rfe,
            coe,
            fre,
        }
    }

    /// Every event of `from` with every event of `to`.
    pub fn product(&self, from: Set, to: Set) -> Relation {
        Relation::product(self.n, from, to)
    }

    /// Accesses with one of the `fences` between them.
    pub fn fenced(&self, fences: Set) -> Relation {
        self.po.to(fences & self.f).then(&self.po.from(fences)).within(self.m, self.m)
    }

    /// `rf | co | fr`
    pub fn com(&self) -> Relation {
        self.rf.or(&self.co).or(&self.fr)
    }

    /// Each cell behaves sequentially consistently.
    pub fn is_coherent(&self) -> bool {
        self.po_loc.or(&self.com()).is_acyclic()
    }

    /// No write comes between the two parts of a read-modify-write.
    pub fn is_atomic(&self) -> bool {
        self.rmw.and(&self.fre.then(&self.coe)).is_empty()
    }
}
