//! Views: sets of facts about cells that a thread, or the reader of a write, knows.

use crate::cells::Accesses;
use program::memory_model::{Barrier, ReadModifyWrite};
use program::{Action, BinOp, Expr, Object, ObjectId, Op, Order, Program, UnOp, Width};

/// The width of a view.
pub(super) const VIEW: Width = Width(64);

/// The views of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum View {
    Current,
    Acquired,
    Released,
    Sequential,
}

impl View {
    pub(super) const ALL: [View; 4] = [View::Current, View::Acquired, View::Released, View::Sequential];

    pub(super) fn name(self) -> &'static str {
        match self {
            View::Current => "current",
            View::Acquired => "acquired",
            View::Released => "released",
            View::Sequential => "sequential",
        }
    }
}

pub(super) fn set_of(bits: u64) -> Expr {
    Expr::constant(u128::from(bits), VIEW)
}

/// The facts of both views.
pub(super) fn join(left: Expr, right: Expr) -> Expr {
    match (left.as_const(), right.as_const()) {
        (Some(0), _) => right,
        (_, Some(0)) => left,
        _ => Expr::binary(BinOp::Or, left, right),
    }
}

/// The facts of a view but for some.
pub(super) fn without(view: Expr, facts: &Expr) -> Expr {
    match facts.as_const() {
        Some(0) => view,
        _ => Expr::binary(BinOp::And, view, Expr::unary(UnOp::Not, facts.clone())),
    }
}

/// Whether a view has none of some facts.
pub(super) fn lacks(view: Expr, facts: &Expr) -> Expr {
    Expr::binary(BinOp::Eq, Expr::binary(BinOp::And, view, facts.clone()), set_of(0))
}

/// What there is to know about a cell: facts that views hold, as bits.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Facts {
    /// Its last write; the same for the order of sequential consistency.
    pub(super) last: u64,
    /// Its last plain write, its plain reads and its atomic reads since then; none if it has only atomic accesses.
    pub(super) plain_write: u64,
    pub(super) plain_reads: u64,
    pub(super) atomic_reads: u64,
    /// True if it has atomic accesses.
    pub(super) is_atomic: bool,
    /// True if only read-modify-writes change it atomically.
    pub(super) only_read_modify_writes: bool,
}

impl Facts {
    /// What must be known lest an access races.
    pub(super) fn conflicting(self, writes: bool, plain: bool) -> u64 {
        match (writes, plain) {
            (false, true) => self.last,
            (true, true) => self.last | self.plain_reads | self.atomic_reads,
            (false, false) => self.plain_write,
            (true, false) => self.plain_write | self.plain_reads,
        }
    }

    /// What a thread knows after it has read the last write: no older one can be read. Where there are plain accesses, only happens-before counts.
    pub(super) fn seen_by_reading(self) -> u64 {
        if self.plain_write == 0 { self.last } else { 0 }
    }

    /// What others do not know any more after a read.
    pub(super) fn by_read(self, plain: bool) -> u64 {
        if plain { self.plain_reads } else { self.atomic_reads }
    }

    /// What others do not know any more after a write.
    pub(super) fn by_write(self, plain: bool) -> u64 {
        if plain { self.last | self.plain_write } else { self.last }
    }

    /// What everybody who knows of a write need not know any more.
    pub(super) fn settled(self, plain: bool) -> u64 {
        if plain { self.plain_reads | self.atomic_reads } else { 0 }
    }
}

/// The facts about all cells.
#[derive(Debug)]
pub(super) struct Bits {
    pub(super) cells: Vec<Facts>,
    /// Whether there are fences that acquire, and such that release.
    acquires: bool,
    releases: bool,
}

impl Bits {
    /// `None` if there are more than fit into a view.
    pub(super) fn of(program: &Program, n_cells: usize, accesses: &Accesses) -> Option<Self> {
        let mut cells = vec![Facts { only_read_modify_writes: true, ..Facts::default() }; n_cells];
        let mut plain = vec![false; n_cells];
        let (mut acquires, mut releases) = (false, false);
        for (func, function) in program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                let Action::Ops { ops, .. } = &location.action else { continue };
                for op in ops {
                    if let Op::Fence(barrier) = op {
                        acquires |= matches!(barrier, Barrier::Acquire | Barrier::AcqRel | Barrier::Full);
                        releases |= !matches!(barrier, Barrier::Acquire | Barrier::Instruction);
                    }
                }
                let stores_at = ReadModifyWrite::of(ops).map(|rmw| rmw.store_at);
                for access in accesses[func].get(loc).into_iter().flatten() {
                    let is_plain = access.order == Order::Plain;
                    for &cell in &access.cells {
                        plain[cell] |= is_plain;
                        cells[cell].is_atomic |= !is_plain;
                        if access.write && !is_plain && stores_at != Some(access.op) {
                            cells[cell].only_read_modify_writes = false;
                        }
                    }
                }
            }
        }
        let mut n_bits = 0;
        let mut fact = || {
            n_bits += 1;
            1_u64.checked_shl(n_bits - 1)
        };
        for (cell, plain) in cells.iter_mut().zip(plain) {
            cell.last = fact()?;
            if plain {
                (cell.plain_write, cell.plain_reads, cell.atomic_reads) = (fact()?, fact()?, fact()?);
            }
        }
        Some(Self { cells, acquires, releases })
    }
}

/// The words of the monitor.
pub(super) struct Words {
    pub(super) pointer: Width,
    /// The number of the running thread, how many there are, and their handles.
    pub(super) me: ObjectId,
    pub(super) n_threads: ObjectId,
    pub(super) handle: Vec<ObjectId>,
    /// In the order of [`View::ALL`], for each thread; nothing for those that no fence uses.
    pub(super) views: [Vec<ObjectId>; 4],
    /// For each cell with atomic accesses: what is known to who reads it, what is before its last write, and before that or a later read.
    pub(super) message: Vec<Option<ObjectId>>,
    pub(super) written: Vec<Option<ObjectId>>,
    pub(super) accessed: Vec<Option<ObjectId>>,
    /// The same of the cell that full fences access.
    pub(super) fence_message: ObjectId,
    pub(super) fence_before: ObjectId,
}

impl Words {
    pub(super) fn declare(program: &mut Program, bits: &Bits, n_threads: usize) -> Self {
        let pointer = program.data_model.pointer();
        let mut object = |name: String, size: u64, thread_local: bool, bytes: Vec<u8>| {
            program.objects.push(Object {
                name: format!("${name}"),
                size,
                align: size,
                thread_local,
                read_only: false,
                arbitrary: false,
                bytes,
                relocs: Vec::new(),
                span: base::Span::NOWHERE,
            })
        };
        let me = object("me".to_owned(), 1, true, Vec::new());
        let n = object("threads".to_owned(), 1, false, vec![1]);
        let handle = (0..n_threads)
            .map(|slot| object(format!("handle{slot}"), pointer.bytes(), false, Vec::new()))
            .collect();
        // What is there in the beginning is known to everybody.
        let everything = || vec![0xff; 8];
        let views = View::ALL.map(|view| {
            let used = match view {
                View::Acquired => bits.acquires,
                View::Released => bits.releases,
                View::Current | View::Sequential => true,
            };
            let first = if view == View::Released { Vec::new() } else { everything() };
            let initial = |slot| if slot == 0 { first.clone() } else { Vec::new() };
            let n_words = if used { n_threads } else { 0 };
            (0..n_words)
                .map(|slot| object(format!("{}{slot}", view.name()), 8, false, initial(slot)))
                .collect()
        });
        let mut of_cells = |name: &str| {
            let word = |(cell, facts): (usize, &Facts)| {
                facts.is_atomic.then(|| object(format!("{name}{cell}"), 8, false, everything()))
            };
            bits.cells.iter().enumerate().map(word).collect()
        };
        let (message, written, accessed) = (of_cells("message"), of_cells("written"), of_cells("accessed"));
        let fence_message = object("fence_message".to_owned(), 8, false, everything());
        let fence_before = object("fence_before".to_owned(), 8, false, everything());
        Self {
            pointer,
            me,
            n_threads: n,
            handle,
            views,
            message,
            written,
            accessed,
            fence_message,
            fence_before,
        }
    }

    fn width(&self, word: ObjectId) -> Width {
        match word {
            _ if word == self.me || word == self.n_threads => Width::BYTE,
            _ if self.handle.contains(&word) => self.pointer,
            _ => VIEW,
        }
    }

    /// The value of a word.
    pub(super) fn load(&self, word: ObjectId) -> Expr {
        let addr = Box::new(Expr::ObjectAddr(word, self.pointer));
        Expr::Load { addr, width: self.width(word), order: Order::SeqCst }
    }

    /// Gives a word a value.
    pub(super) fn set(&self, word: ObjectId, value: Expr) -> Op {
        Op::Store { addr: Expr::ObjectAddr(word, self.pointer), value, order: Order::SeqCst }
    }

    /// Whether the running thread has a number.
    pub(super) fn is_me(&self, number: usize) -> Expr {
        let number = Expr::constant(number as u128, Width::BYTE);
        Expr::binary(BinOp::Eq, self.load(self.me), number)
    }

    /// The view of the running thread; without facts if no fence uses it.
    pub(super) fn own(&self, view: View) -> Expr {
        self.of_thread(view, &self.load(self.me))
    }

    /// The view of the thread with a number.
    pub(super) fn of_thread(&self, view: View, number: &Expr) -> Expr {
        let mut words = self.views[view as usize].iter().enumerate();
        let Some((_, first)) = words.next() else { return set_of(0) };
        words.fold(self.load(*first), |rest, (slot, word)| {
            let slot = Expr::constant(slot as u128, Width::BYTE);
            Expr::ite(Expr::binary(BinOp::Eq, number.clone(), slot), self.load(*word), rest)
        })
    }

    /// The number of the thread with a handle; that of the first one is not looked up.
    pub(super) fn number_of(&self, handle: &Expr) -> Expr {
        let number = |slot: usize| Expr::constant(slot as u128, Width::BYTE);
        (1..self.handle.len()).fold(number(0), |rest, slot| {
            let is = Expr::binary(BinOp::Eq, self.load(self.handle[slot]), handle.clone());
            Expr::ite(is, number(slot), rest)
        })
    }
}
